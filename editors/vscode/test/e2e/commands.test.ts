/** The other commands of the extension, with the real server. */
import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import * as vscode from "vscode";
import { convertedUri } from "../../src/preview/uris";
import { program, Project, until } from "../host/project";
import { state } from "../host/state";
import { Selection } from "../host/values";

const SOURCE = "#include <cuda_runtime.h>\nvoid f(int* p) {\n    cudaFree(p);\n    cudaDeviceSynchronize();\n}\n";

const project = new Project("lint/converted.hip");
project.write("a.cu", SOURCE);
project.write("b.cu", SOURCE);

before(async () => {
  await project.start();
});

beforeEach(() => {
  state.executed.length = 0;
  state.messages.length = 0;
  state.edits.length = 0;
});

after(() => project.end());

it("compares a file with its conversion", async () => {
  const { document } = await project.open("a.cu");
  await vscode.commands.executeCommand("hipshift.compareWithConverted");
  const [command, left, right, title] = state.executed[0] ?? [];
  assert.equal(command, "vscode.diff");
  assert.deepEqual([left, right].map(String), [document.uri, convertedUri(document.uri)].map(String));
  assert.equal(title, "a.cu: CUDA ↔ HIP");
});

it("goes to the converted form and back, to the same line", async () => {
  const editor = await project.open("a.cu");
  editor.selection = new Selection(3, 0, 3, 0) as never;
  await vscode.commands.executeCommand("hipshift.goToCounterpart");
  const there = vscode.window.activeTextEditor;
  assert.equal(there?.document.uri.toString(), convertedUri(editor.document.uri).toString());
  const line = there.selection.active.line;
  assert.match(there.document.getText().split("\n")[line] ?? "", /hipDeviceSynchronize/);
  await vscode.commands.executeCommand("hipshift.goToCounterpart");
  assert.equal(vscode.window.activeTextEditor, editor);
  assert.equal(editor.selection.active.line, 3);
});

it("goes to the file that a conversion wrote, where there is one", async () => {
  project.write("c.cu", SOURCE);
  project.write("c.hip", SOURCE.replaceAll("cuda", "hip").replace("hip_runtime", "hip/hip_runtime"));
  await vscode.workspace.getConfiguration("hipshift").update("ext", "hip");
  await until("setting", () => (state.statusBar.text.startsWith("HIP:") ? true : undefined));
  await project.open("c.cu");
  await vscode.commands.executeCommand("hipshift.goToCounterpart");
  assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), project.uri("c.hip").toString());
  await vscode.workspace.getConfiguration("hipshift").update("ext", "");
});

it("converts what is selected, and no more", async () => {
  const editor = await project.open("a.cu");
  editor.selection = new Selection(2, 0, 3, 0) as never;
  await vscode.commands.executeCommand("hipshift.convertThisSelection");
  await until("edit", () => (editor.document.getText().includes("hipFree(p)") ? true : undefined));
  assert.match(editor.document.getText(), /cudaDeviceSynchronize/);
  assert.deepEqual(state.messages, []);
});

it("converts a folder, and the workspace", async () => {
  await vscode.commands.executeCommand("hipshift.convertFolder", vscode.Uri.file(project.folder));
  const { document } = await project.open("b.cu");
  assert.match(document.getText(), /hipFree\(p\);\n {4}hipDeviceSynchronize/);
  const { document: other } = await project.open("c.cu");
  assert.match(other.getText(), /hipFree/);
  await vscode.commands.executeCommand("hipshift.convertWholeWorkspace");
  assert.deepEqual(state.messages, ["hipshift: there is nothing to change"]);
});

it("asks the editor for all safe fixes", async () => {
  await vscode.commands.executeCommand("hipshift.fixAllInFile");
  const expected = ["editor.action.sourceAction", { kind: "source.fixAll.hipshift", apply: "first" }];
  assert.deepEqual(state.executed, [expected]);
});

it("validates a file and a folder in a task", async () => {
  const uri = project.uri("b.cu");
  await vscode.commands.executeCommand("hipshift.validateFile", uri);
  await project.open("b.cu");
  await vscode.commands.executeCommand("hipshift.validateFolder");
  const started = state.tasks.map(({ execution }) => [execution.process, ...execution.args]);
  assert.deepEqual(started, [
    [program(), "validate", uri.fsPath],
    [program(), "validate", project.folder],
  ]);
});

it("reviews a file in a terminal", async () => {
  const uri = vscode.Uri.file(`${project.folder}/converted.hip`);
  await vscode.commands.executeCommand("hipshift.reviewInTerminal", uri);
  const { shellPath, shellArgs } = state.terminals[0] ?? {};
  assert.deepEqual([shellPath, ...(shellArgs ?? [])], [program(), "review", uri.fsPath]);
  // The terminal reads what is on the disk.
  assert.equal((await vscode.workspace.openTextDocument(uri)).isDirty, false);
});

it("says what to do where no file is open", async () => {
  state.active = undefined;
  await vscode.commands.executeCommand("hipshift.showConverted");
  assert.deepEqual(state.messages, ["Open a CUDA file first."]);
});
