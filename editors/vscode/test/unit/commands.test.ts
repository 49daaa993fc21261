/** What programs are started with, and what is shown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as vscode from "vscode";
import { diffArguments, replaced } from "../../src/commands/hunks";
import { BUILD_FILES, clientOptions, LANGUAGES, serverOptions } from "../../src/server/options";
import { resultSettings } from "../../src/settings";
import { HipshiftTasks, taskArguments } from "../../src/tasks";
import { statusDetails, statusText } from "../../src/statusBar";
import { URI } from "vscode-uri";
import { state } from "../host/state";

const status = {
  targets: ["gfx90a", "gfx1100"],
  rocm: "7.2",
  wavePolicy: "logical32",
  wavePolicyReason: "32 is counted on",
  root: "/p",
};

describe("the client", () => {
  const options = clientOptions({} as vscode.LogOutputChannel, {});

  it("gives the server files and new documents, and nothing that is only shown", () => {
    const filters = options.documentSelector as { scheme: string; language?: string; pattern?: string }[];
    const selector = filters.filter(({ pattern }) => pattern === undefined);
    assert.deepEqual(filters.slice(selector.length), [{ scheme: "file", pattern: BUILD_FILES }]);
    assert.deepEqual([...new Set(selector.map(({ scheme }) => scheme))], ["file", "untitled"]);
    assert.deepEqual([...new Set(selector.map(({ language }) => language))], LANGUAGES);
    assert.equal(selector.length, 2 * LANGUAGES.length);
  });

  it("sends the settings at the start", () => {
    state.settings.set("hipshift.lint.ignore", ["A005"]);
    const sent = clientOptions({} as vscode.LogOutputChannel, {}).initializationOptions as unknown;
    const { lint, wavePolicy } = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
    assert.deepEqual(lint, { select: [], ignore: ["A005"], baseline: "" });
    assert.equal(wavePolicy, "");
    state.settings.delete("hipshift.lint.ignore");
  });

  it("starts hipshift lsp on standard input and output", () => {
    assert.deepEqual(serverOptions("/h"), { command: "/h", args: ["lsp"], transport: 0 });
  });
});

describe("tasks", () => {
  it("have the arguments of their definition", () => {
    const lint = { type: "hipshift", command: "lint" } as const;
    assert.deepEqual(taskArguments(lint), ["lint", "--format", "concise", "."]);
    const validate = { type: "hipshift", command: "validate", paths: ["a.cu", "b"], args: ["--arch", "gfx90a"] } as const;
    const { paths, args } = validate;
    assert.deepEqual(taskArguments({ ...validate, paths: [...paths], args: [...args] }), [
      "validate",
      "--arch",
      "gfx90a",
      "a.cu",
      "b",
    ]);
  });

  it("are offered for each folder, with the matcher of their output", () => {
    state.settings.set("hipshift.path", process.execPath);
    state.folders = ["/p", "/q"].map((path, index) => ({ uri: URI.file(path), name: path, index }));
    const offered = new HipshiftTasks().provideTasks();
    assert.deepEqual(
      offered.map(({ name, problemMatchers }) => [name, ...problemMatchers]),
      [
        ["lint", "$hipshift-lint"],
        ["validate", "$hipshift-validate"],
        ["lint", "$hipshift-lint"],
        ["validate", "$hipshift-validate"],
      ],
    );
  });

  it("of tasks.json are made, unless they are none of ours", () => {
    const tasks = new HipshiftTasks();
    const resolve = (definition: vscode.TaskDefinition) =>
      tasks.resolveTask({ definition, scope: vscode.TaskScope.Workspace } as unknown as vscode.Task)?.name;
    assert.equal(resolve({ type: "hipshift", command: "lint", paths: ["src"] }), "lint src");
    assert.equal(resolve({ type: "hipshift", command: "convert" }), undefined);
    assert.equal(resolve({ type: "shell", command: "lint" }), undefined);
  });
});

describe("changes to choose from", () => {
  it("are asked for with what the server converts for", () => {
    const expected = "diff - --format json -U0 --rocm 7.2 --arch gfx90a,gfx1100 --wave-policy logical32";
    assert.equal(diffArguments(status, resultSettings()).join(" "), expected);
    state.settings.set("hipshift.launch", "chevron");
    state.settings.set("hipshift.lint.ignore", ["A005", "K006"]);
    const more = diffArguments(status, resultSettings());
    assert.equal(more.join(" "), `${expected} --launch chevron --ignore A005,K006`);
    state.settings.delete("hipshift.launch");
    state.settings.delete("hipshift.lint.ignore");
  });

  it("replace their lines, or none where they only add some", () => {
    const after = { start: 3, lines: ["new\n"] };
    assert.deepEqual(replaced({ before: { start: 3, lines: ["a\n", "b\n"] }, after, fixes: [] }), { start: 2, end: 4 });
    assert.deepEqual(replaced({ before: { start: 3, lines: [] }, after, fixes: [] }), { start: 3, end: 3 });
  });
});

describe("the status bar", () => {
  it("names targets and lanes, and says why", () => {
    assert.equal(statusText(status), "HIP: gfx90a gfx1100 · logical32");
    const details = ["Targets: gfx90a, gfx1100", "ROCm: 7.2", "Warps: logical32: 32 is counted on", "Project: /p"];
    assert.equal(statusDetails(status), details.join("\n"));
    assert.match(statusDetails({ ...status, wavePolicyReason: "" }), /Warps: logical32\n/);
  });
});
