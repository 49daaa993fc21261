/** The changes that `hipshift diff --format json` tells. */
import { spawn } from "node:child_process";
import type { Status } from "../server/protocol";
import { UserError } from "../server/session";
import type { ResultSettings } from "../settings";

export interface Hunk {
  before: Lines;
  after: Lines;
  fixes: { code: string; rule: string; title: string; safety: string }[];
}

interface Lines {
  /** The first line, from 1; without lines, the one that the others would follow. */
  start: number;
  lines: string[];
}

interface Report {
  files: { hunks: Hunk[] }[];
}

/** Asks hipshift what it would change in `text`; `args` are those of `diffArguments`. */
export async function changes(program: string, folder: string, text: string, args: string[]): Promise<Hunk[]> {
  const { code, output, errors } = await run(program, args, folder, text);
  // 0: nothing changes, 1: something does.
  if (code !== 0 && code !== 1) {
    throw new UserError(`hipshift diff failed: ${errors.trim()}`);
  }
  return (JSON.parse(output) as Report).files.flatMap((file) => file.hunks);
}

/** For the same result as the server's: what it says of the project, and what the settings say. */
export function diffArguments({ targets, rocm, wavePolicy }: Status, settings: ResultSettings): string[] {
  const options = ["--rocm", rocm, "--arch", targets.join(","), "--wave-policy", wavePolicy];
  const { launch, launchBounds, select, ignore } = settings;
  const set = [
    ["--launch", launch],
    ["--launch-bounds", launchBounds],
    ["--select", select.join(",")],
    ["--ignore", ignore.join(",")],
  ] as const;
  return ["diff", "-", "--format", "json", "-U0", ...options, ...set.flatMap((pair) => (pair[1] === "" ? [] : pair))];
}

/** The lines that a hunk replaces, from 0, the end not included. */
export function replaced({ before }: Hunk): { start: number; end: number } {
  const start = before.lines.length === 0 ? before.start : before.start - 1;
  return { start, end: start + before.lines.length };
}

async function run(program: string, args: string[], cwd: string, input: string) {
  const child = spawn(program, args, { cwd });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  // A program that ends early is told by its exit code.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return { code: await code, output, errors };
}
