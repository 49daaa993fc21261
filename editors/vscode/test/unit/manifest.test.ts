/** package.json says what there is, and nothing else. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { COMMANDS } from "../../src/commands/all";
import { serverCommands } from "../../src/server/protocol";
import { manifest } from "../host/state";

const { contributes } = manifest();
const text = readFileSync("package.json", "utf8");

describe("commands", () => {
  const named = contributes.commands.map(({ command }) => command);

  it("are those that are registered", () => {
    assert.deepEqual([...named].sort(), Object.keys(COMMANDS).sort());
  });

  it("do not take the names of those that the server has", () => {
    const overlap = Object.values(serverCommands).filter((command) => named.includes(command));
    assert.deepEqual(overlap, []);
  });

  it("of menus and walkthrough exist", () => {
    const used = Object.values(contributes.menus).flatMap((items) => items.flatMap(({ command }) => command ?? []));
    const steps = contributes.walkthroughs.flatMap(({ steps }) => steps);
    const linked = steps.flatMap(({ description }) => [...description.matchAll(/command:(hipshift\.\w+)/g)].map(([, name]) => name));
    const events = steps.flatMap(({ completionEvents }) => completionEvents);
    const awaited = events.filter((event) => event.startsWith("onCommand:")).map((event) => event.slice("onCommand:".length));
    assert.ok(used.length > 0 && linked.length > 0 && awaited.length > 0);
    assert.deepEqual([...used, ...linked, ...awaited].filter((name) => !named.includes(name ?? "")), []);
  });
});

describe("settings", () => {
  it("are those of the server, the path of the program, and the trace of the client library", () => {
    const page = readFileSync("../../docs/editors/server.md", "utf8");
    const table = page.split("## Settings")[1]?.split("\n## ")[0] ?? "";
    const rows = table.split("\n").filter((line) => line.startsWith("| `"));
    const keys = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([\w.]+)`/g)].map(([, key]) => `hipshift.${key ?? ""}`));
    assert.ok(keys.length >= 12);
    const own = ["hipshift.path", "hipshift.trace.server"];
    assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), [...keys, ...own].sort());
  });

  it("set nothing unless the user does", () => {
    for (const [name, { default: value }] of Object.entries(contributes.configuration.properties)) {
      const nothing = value === "" || value === false || value === "off" || (Array.isArray(value) && value.length === 0);
      assert.ok(nothing, `${name}: ${JSON.stringify(value)}`);
    }
  });
});

describe("files", () => {
  it("that package.json names exist", () => {
    const named = [...text.matchAll(/"(?:\.\/)?((?:media|walkthrough|syntaxes)\/[\w.-]+)"/g)].map(([, name]) => name ?? "");
    assert.ok(named.length >= 8);
    assert.deepEqual(named.filter((name) => !existsSync(name)), []);
  });

  it("of the grammar and the walkthrough say something", () => {
    for (const { path } of contributes.grammars) {
      const { patterns } = JSON.parse(readFileSync(path, "utf8")) as { patterns: unknown[] };
      assert.ok(patterns.length > 0);
    }
    for (const { media } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      assert.ok(readFileSync(media.markdown, "utf8").length > 400, media.markdown);
    }
  });

  it("of the lock name no host of a registry", () => {
    assert.doesNotMatch(readFileSync("package-lock.json", "utf8"), /"resolved"|registry/);
  });

  it("give CUDA and HIP sources a language", () => {
    const of = Object.fromEntries(contributes.languages.map(({ id, extensions }) => [id, extensions]));
    assert.deepEqual(of["cuda-cpp"], [".cu", ".cuh"]);
    assert.ok(of.hip?.includes(".hip"));
  });

  it("have a change for this version in CHANGELOG.md", () => {
    assert.match(readFileSync("CHANGELOG.md", "utf8"), new RegExp(`^## ${manifest().version}$`, "m"));
  });
});
