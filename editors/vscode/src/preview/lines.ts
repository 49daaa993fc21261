/** Lines of a source and of its conversion that belong together. */
import type { Pair } from "../server/protocol";

type Side = keyof Pair;

/**
 * The line of the other side that `line` belongs to. Between two pairs the distance from the end of the first counts, as
 * the text between them is the same on both sides.
 */
export function otherLine(map: readonly Pair[], from: Side, line: number): number {
  const to: Side = from === "source" ? "converted" : "source";
  let before: Pair | undefined;
  for (const pair of map) {
    if (pair[from].start.line > line) {
      break;
    }
    before = pair;
  }
  if (before === undefined) {
    return line;
  }
  if (line <= before[from].end.line) {
    const inside = line - before[from].start.line;
    return Math.min(before[to].start.line + inside, before[to].end.line);
  }
  return before[to].end.line + (line - before[from].end.line);
}
