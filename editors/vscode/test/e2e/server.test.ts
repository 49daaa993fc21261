/** The extension with the real server: what a user does with a CUDA file, from opening to conversion. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import * as vscode from "vscode";
import { convertedUri } from "../../src/preview/uris";
import type { Session } from "../../src/server/session";
import { findings, program, Project, until } from "../host/project";
import { state } from "../host/state";

interface ActionProvider {
  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: { diagnostics: readonly vscode.Diagnostic[]; triggerKind: number },
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeAction[]>;
}

const project = new Project("lint/port.cu", "lint/converted.hip");
let session: Session;

before(async () => {
  session = await project.start();
});

after(() => project.end());

async function actions(document: vscode.TextDocument, finding: vscode.Diagnostic): Promise<vscode.CodeAction[]> {
  const provider = state.providers.get("registerCodeActionsProvider")?.[0] as ActionProvider;
  const context = { diagnostics: [finding], triggerKind: vscode.CodeActionTriggerKind.Invoke };
  return provider.provideCodeActions(document, finding.range, context, new vscode.CancellationTokenSource().token);
}

async function action(document: vscode.TextDocument, code: string, title: string): Promise<vscode.CodeAction> {
  const found = await findings(document.uri);
  const finding = found.find((one) => codeOf(one) === code);
  assert.ok(finding, `no ${code} in ${found.map(codeOf).join()}`);
  const offered = await actions(document, finding);
  const chosen = offered.find((one) => one.title === title);
  assert.ok(chosen, `no "${title}" in ${offered.map((one) => one.title).join("; ")}`);
  return chosen;
}

function codeOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === "object" ? code.value : code);
}

async function run(chosen: vscode.CodeAction): Promise<void> {
  if (chosen.edit !== undefined) {
    await vscode.workspace.applyEdit(chosen.edit);
  }
  if (chosen.command !== undefined) {
    await vscode.commands.executeCommand(chosen.command.command, ...((chosen.command.arguments ?? []) as unknown[]));
  }
}

/** `line code` of each finding that the command line reports for a file. */
function lint(name: string): string[] {
  const args = ["lint", name, "--format", "json", "--fail-on", "never"];
  const report = JSON.parse(execFileSync(program(), args, { cwd: project.folder, encoding: "utf8" })) as {
    files: { findings: { code: string; start: { line: number } }[] }[];
  };
  return report.files.flatMap((file) => file.findings).map(({ code, start }) => `${start.line} ${code}`);
}

describe("a CUDA file in the editor", () => {
  it("has the findings of the command line", async () => {
    const { document } = await project.open("port.cu");
    const found = await findings(document.uri);
    const shown = found.map((finding) => `${finding.range.start.line + 1} ${codeOf(finding)}`);
    assert.deepEqual(shown.sort(), lint("port.cu").sort());
    assert.ok(shown.length > 0 && found.every(({ source }) => source === "hipshift"));
  });

  it("is not alone: build files have findings, other texts are not sent", async () => {
    project.write("CMakeLists.txt", "add_compile_options(-maxrregcount=64)\n");
    project.write("notes.txt", "-maxrregcount=64\n");
    await project.open("notes.txt");
    const { document } = await project.open("CMakeLists.txt");
    assert.deepEqual((await findings(document.uri)).map(codeOf), ["B001"]);
    assert.deepEqual(vscode.languages.getDiagnostics(project.uri("notes.txt")), []);
  });

  it("is given the fix of a finding, after which the finding is gone", async () => {
    const { document } = await project.open("converted.hip");
    const fix = await action(document, "A001", "Rename to `hipFree`");
    const before = document.getText();
    await run(fix);
    assert.notEqual(document.getText(), before);
    assert.equal(document.getText(), before.replace("cudaFree", "hipFree"));
    await until("finding less", () => {
      const codes = vscode.languages.getDiagnostics(document.uri).map(codeOf);
      return codes.includes("A001") ? undefined : true;
    });
  });

  it("opens the page of a rule, whose text the server has", async () => {
    const { document } = await project.open("port.cu");
    state.executed.length = 0;
    await run(await action(document, "H002", "Open the page of H002"));
    const [command, uri] = await until("page", () => state.executed[0]);
    assert.equal(command, "markdown.showPreview");
    assert.equal(String(uri), "hipshift:/rules/H002.md");
    const page = await vscode.workspace.openTextDocument(uri as vscode.Uri);
    assert.match(page.getText(), /^# .*H002/);
    assert.equal(page.languageId, "markdown");
    // By name, from the command.
    await vscode.commands.executeCommand("hipshift.explainRule", "renamed-name");
    const [, other] = await until("second page", () => state.executed[1]);
    assert.equal(String(other), "hipshift:/rules/A001.md");
  });

  it("tells that a rule is not known", async () => {
    state.messages.length = 0;
    await vscode.commands.executeCommand("hipshift.explainRule", "nothing");
    assert.match(state.messages.join(), /no rule is called `nothing`/);
  });

  it("shows what the project is converted for in the status bar", async () => {
    const { document } = await project.open("port.cu");
    const status = await session.status(document.uri);
    assert.deepEqual(status.targets, ["gfx90a", "gfx942", "gfx1100"]);
    assert.equal(vscode.Uri.parse(status.root).fsPath.replace(/\/$/, "").endsWith(project.folder), true);
    const text = await until("status", () => (state.statusBar.text.startsWith("HIP:") ? state.statusBar.text : undefined));
    assert.equal(text, `HIP: gfx90a gfx942 gfx1100 · ${status.wavePolicy}`);
    assert.match(state.statusBar.tooltip, /ROCm: 7\.2/);
  });

  it("is converted for what the settings say", async () => {
    const { document } = await project.open("port.cu");
    state.answers.push((items: readonly { label: string }[]) => items.find(({ label }) => label === "Targets"));
    state.answers.push((items: readonly { label: string }[]) => items.filter(({ label }) => label === "gfx1030"));
    await vscode.commands.executeCommand("hipshift.chooseTargets");
    assert.deepEqual(state.settings.get("hipshift.targets"), ["gfx1030"]);
    await until("new target", () => (state.statusBar.text.includes("gfx1030") ? true : undefined));
    assert.deepEqual((await session.status(document.uri)).targets, ["gfx1030"]);
    await vscode.workspace.getConfiguration("hipshift").update("targets", []);
    await until("old targets", () => (state.statusBar.text.includes("gfx90a") ? true : undefined));
  });
});

describe("the conversion", () => {
  it("stands beside the source and follows it", async () => {
    const { document } = await project.open("port.cu");
    await vscode.commands.executeCommand("hipshift.showConverted");
    const there = await vscode.workspace.openTextDocument(convertedUri(document.uri));
    assert.match(there.getText(), /#include <hip\/hip_runtime.h>/);
    assert.match(there.getText(), /hipStreamSynchronize/);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, 0, 0), "// cudaFree is a name\nvoid g(int* p) { cudaFree(p); }\n");
    await vscode.workspace.applyEdit(edit);
    await until("new text", () => (there.getText().includes("{ hipFree(p); }") ? true : undefined));
    // Back to what is on the disk.
    const back = new vscode.WorkspaceEdit();
    back.replace(document.uri, new vscode.Range(0, 0, 2, 0), "");
    await vscode.workspace.applyEdit(back);
    await until("old text", () => (there.getText().includes("hipFree(p)") ? undefined : true));
  });

  it("follows the settings, and a server that was started again", async () => {
    const { document } = await project.open("port.cu");
    const there = await vscode.workspace.openTextDocument(convertedUri(document.uri));
    const settings = vscode.workspace.getConfiguration("hipshift");
    const launch = new vscode.WorkspaceEdit();
    launch.replace(document.uri, new vscode.Range(0, 0, 0, 0), "__global__ void e() {}\nvoid g() { e<<<1, 2>>>(); }\n");
    await vscode.workspace.applyEdit(launch);
    await until("launch", () => (there.getText().includes("hipLaunchKernelGGL(e,") ? true : undefined));
    await settings.update("launch", "chevron");
    await until("chevrons", () => (there.getText().includes("e<<<1, 2>>>") ? true : undefined));
    await vscode.commands.executeCommand("hipshift.restartServer");
    await settings.update("launch", "");
    await until("launch", () => (there.getText().includes("hipLaunchKernelGGL(e,") ? true : undefined));
    const back = new vscode.WorkspaceEdit();
    back.replace(document.uri, new vscode.Range(0, 0, 2, 0), "");
    await vscode.workspace.applyEdit(back);
    await until("old text", () => (there.getText().includes("(e,") ? undefined : true));
  });

  it("equals what the command line makes", async () => {
    const { document } = await project.open("port.cu");
    const converted = await session.converted(document.uri);
    // The exit code is 1 as findings remain.
    const options = { cwd: project.folder, input: document.getText(), encoding: "utf8" } as const;
    assert.equal(converted.text, spawnSync(program(), ["convert", "-"], options).stdout);
    assert.equal(vscode.Uri.parse(converted.uri).path.endsWith("port.cu"), true);
    assert.ok(converted.map.length > 0);
  });

  it("is made change by change", async () => {
    const { document } = await project.open("port.cu");
    const before = document.getText();
    state.answers.push((items) => items.slice(0, 1));
    await vscode.commands.executeCommand("hipshift.reviewChanges");
    assert.equal(document.getText(), before.replace("#include <cuda_runtime.h>", "#include <hip/hip_runtime.h>"));
    const back = new vscode.WorkspaceEdit();
    back.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), before);
    await vscode.workspace.applyEdit(back);
  });

  it("of a folder leaves other folders alone", async () => {
    state.edits.length = 0;
    state.messages.length = 0;
    await vscode.commands.executeCommand("hipshift.convertFolder", project.uri("elsewhere"));
    assert.deepEqual(state.edits, []);
    assert.deepEqual(state.messages, ["hipshift would change nothing in this folder."]);
  });

  it("of a file asks first, then changes its text and its name", async () => {
    await vscode.workspace.getConfiguration("hipshift").update("ext", "hip");
    const { uri } = (await project.open("port.cu")).document;
    const { text } = await session.converted(uri);
    state.edits.length = 0;
    await vscode.commands.executeCommand("hipshift.convertThisFile");
    assert.deepEqual((state.edits as unknown as { asks: boolean }[]).map(({ asks }) => asks), [true]);
    const made = await vscode.workspace.openTextDocument(project.uri("port.hip"));
    assert.equal(made.getText(), text);
    assert.equal(made.languageId, "hip");
    assert.ok(!existsSync(join(project.folder, "port.cu")));
  });
});

describe("the server", () => {
  it("starts again when asked to", async () => {
    await vscode.commands.executeCommand("hipshift.restartServer");
    assert.ok(session.isRunning);
    assert.deepEqual((await session.status()).targets, ["gfx90a", "gfx942", "gfx1100"]);
  });

  it("that is missing is told, with what to do", async () => {
    state.messages.length = 0;
    await vscode.workspace.getConfiguration("hipshift").update("path", "/nowhere/hipshift");
    await until("message", () => state.messages.find((message) => message.includes("/nowhere/hipshift")));
    assert.ok(!session.isRunning);
    assert.equal(state.statusBar.text, "$(warning) hipshift");
  });
});
