/** What is in the .vsix, and that the extension in it runs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { compileFunction } from "node:vm";
import * as vscode from "vscode";
import type * as extension from "../../src/extension";
import { unpack } from "../host/archive";
import { findings, Project } from "../host/project";

const folder = mkdtempSync(join(tmpdir(), "hipshift-vsix-"));
const vsix = join(folder, "hipshift.vsix");
let files: Map<string, Buffer>;

before(() => {
  execFileSync(process.execPath, ["scripts/package.mjs", vsix], { stdio: "pipe" });
  files = unpack(vsix);
});

after(() => {
  rmSync(folder, { recursive: true });
});

function text(name: string): string {
  const found = files.get(`extension/${name}`);
  assert.ok(found, `no ${name}`);
  return found.toString("utf8");
}

describe("the package", () => {
  it("has the bundle and what the editor shows, and nothing else", () => {
    const names = [...files.keys()].filter((name) => name.startsWith("extension/"));
    assert.deepEqual(names.map((name) => name.slice("extension/".length)).sort(), [
      "LICENSE.txt",
      "changelog.md",
      "media/icon.png",
      "out/THIRD-PARTY.txt",
      "out/extension.js",
      "package.json",
      "readme.md",
      "syntaxes/hip.tmLanguage.json",
      "syntaxes/language-configuration.json",
      "walkthrough/convert.md",
      "walkthrough/install.md",
      "walkthrough/look.md",
      "walkthrough/targets.md",
      "walkthrough/validate.md",
    ]);
  });

  it("is small", () => {
    const { size } = statSync(vsix);
    assert.ok(size > 50_000 && size < 250_000, `${size} bytes`);
    assert.ok(text("out/extension.js").length < 600_000);
  });

  it("has the licences of hipshift and of what is bundled", () => {
    assert.match(text("LICENSE.txt"), /Apache License[^]*Version 2\.0/);
    assert.match(text("LICENSE.txt"), /Permission is hereby granted/);
    assert.match(text("out/THIRD-PARTY.txt"), /^vscode-languageclient 11\.0\.0$/m);
    assert.match(text("out/THIRD-PARTY.txt"), /^vscode-jsonrpc /m);
  });

  it("tells no path of the machine that it was made on", () => {
    const here = resolve(".");
    const telling = [...files].filter(([, content]) => content.includes(here)).map(([name]) => name);
    assert.deepEqual(telling, []);
  });

  it("has an icon of 128 by 128 pixels", () => {
    const icon = files.get("extension/media/icon.png");
    assert.deepEqual([icon?.toString("latin1", 1, 4), icon?.readUInt32BE(16), icon?.readUInt32BE(20)], ["PNG", 128, 128]);
  });

  it("runs", async () => {
    const project = new Project("lint/port.cu");
    const fromNode = createRequire(resolve("package.json"));
    const require = (name: string): unknown => (name === "vscode" ? vscode : fromNode(name));
    const module = { exports: {} };
    const bundle = compileFunction(text("out/extension.js"), ["require", "module", "exports"]) as (...args: unknown[]) => void;
    bundle(require, module, module.exports);
    await project.start(module.exports as typeof extension);
    const { document } = await project.open("port.cu");
    assert.ok((await findings(document.uri)).length >= 4);
    await project.end();
  });
});
