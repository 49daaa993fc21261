// Bundles the tests of the named folders below test/ and runs them with Node's own runner. In a test, `vscode` is the
// small host in test/host.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";

const tests = process.argv.slice(2).flatMap((folder) =>
  readdirSync(`test/${folder}`)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`),
);
rmSync("out/test", { recursive: true, force: true });
await build({
  entryPoints: tests.map((test) => `test/${test}`),
  outdir: "out/test",
  outbase: "test",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  sourcemap: "inline",
  logLevel: "warning",
  alias: { vscode: resolve("test/host/vscode.ts") },
});
const bundles = tests.map((test) => `out/test/${test.replace(/\.ts$/, ".js")}`);
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...bundles], { stdio: "inherit" });
process.exit(run.status ?? 1);
