/** The problem matcher for `hipshift lint`, on what the real program prints in the task. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { taskArguments } from "../../src/tasks";
import { matched } from "../host/matcher";
import { program } from "../host/project";

interface Finding {
  code: string;
  severity: string;
  message: string;
  start: { line: number; column: number };
}

function run(args: string[]): string {
  return spawnSync(program(), args, { cwd: "../../fixtures", encoding: "utf8" }).stdout;
}

it("finds every finding, with its place, severity, code and message", () => {
  const paths = ["lint", "checks"];
  const output = run(taskArguments({ type: "hipshift", command: "lint", paths }));
  const report = JSON.parse(run(["lint", ...paths, "--format", "json"])) as { files: { path: string; findings: Finding[] }[] };
  const expected = report.files.flatMap(({ path, findings }) =>
    findings.map(({ code, severity, message, start: { line, column } }) => ({
      file: path,
      line: String(line),
      column: String(column),
      severity,
      code,
      message,
    })),
  );
  assert.ok(expected.length >= 10);
  const order = ({ file, line, code }: Record<string, string>) => `${file ?? ""}:${(line ?? "").padStart(6)} ${code ?? ""}`;
  const sorted = (found: Record<string, string>[]) => found.sort((one, other) => order(one).localeCompare(order(other)));
  assert.deepEqual(sorted(matched("hipshift-lint", output)), sorted(expected));
});
