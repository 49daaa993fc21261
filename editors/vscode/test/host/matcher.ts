/** Problem matchers of package.json, as the editor applies them: line by line. */
import { manifest } from "./state";

/** What a matcher finds in an output: the parts that its pattern names. */
export function matched(name: string, output: string): Record<string, string>[] {
  const matcher = manifest().contributes.problemMatchers.find((one) => one.name === name);
  if (matcher === undefined) {
    throw new Error(`no matcher ${name}`);
  }
  const { regexp, ...parts } = matcher.pattern;
  return output.split("\n").flatMap((line) => {
    const match = new RegExp(regexp).exec(line);
    const named = Object.entries(parts).map(([part, group]) => [part, match?.[group] ?? ""] as const);
    return match === null ? [] : [Object.fromEntries(named)];
  });
}
