/** Where the program is looked for. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { URI } from "vscode-uri";
import { findProgram, thisMachine } from "../../src/server/binary";
import { serverPath } from "../../src/settings";
import { state } from "../host/state";

function machine(...programs: string[]) {
  const path = ["/one", "", "/two"].join(delimiter);
  return { platform: "linux", path, isProgram: (file: string) => programs.includes(file) };
}

describe("without a setting", () => {
  it("the first on PATH is taken", () => {
    assert.deepEqual(findProgram("", machine("/two/hipshift", "/one/hipshift")), { program: "/one/hipshift" });
    assert.deepEqual(findProgram("", machine("/two/hipshift")), { program: "/two/hipshift" });
  });

  it("it is told that there is none", () => {
    assert.deepEqual(findProgram("", machine("/three/hipshift")), { problem: "hipshift was not found on PATH." });
  });

  it("it has another name on Windows", () => {
    const windows = { ...machine("/one/hipshift.exe"), platform: "win32" };
    assert.deepEqual(findProgram("", windows), { program: "/one/hipshift.exe" });
  });
});

describe("the setting", () => {
  it("names the program or its folder", () => {
    assert.deepEqual(findProgram("/opt/h", machine("/opt/h")), { program: "/opt/h" });
    assert.deepEqual(findProgram("/opt", machine("/opt/hipshift")), { program: "/opt/hipshift" });
  });

  it("counts alone: PATH is not searched behind it", () => {
    const found = findProgram("/opt/h", machine("/one/hipshift"));
    assert.deepEqual(found, { problem: "There is no program at /opt/h, which the setting hipshift.path names." });
  });

  it("has to be absolute", () => {
    assert.match(JSON.stringify(findProgram("bin/hipshift", machine())), /has to be an absolute path/);
  });

  it("may begin with the home or the workspace", () => {
    state.folders = [{ uri: URI.file("/src/p"), name: "p", index: 0 }];
    state.settings.set("hipshift.path", "~/bin/hipshift");
    assert.equal(serverPath(), `${homedir()}/bin/hipshift`);
    state.settings.set("hipshift.path", " ${workspaceFolder}/hipshift ");
    assert.equal(serverPath(), "/src/p/hipshift");
    state.settings.set("hipshift.path", "/a~/b");
    assert.equal(serverPath(), "/a~/b");
  });
});

describe("this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "hipshift-binary-"));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it("tells programs from other files and folders", () => {
    const { isProgram } = thisMachine();
    const file = join(folder, "hipshift");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    assert.equal(isProgram(file), false);
    chmodSync(file, 0o755);
    assert.equal(isProgram(file), true);
    assert.equal(isProgram(folder), false);
    assert.equal(isProgram(join(folder, "none")), false);
  });
});
