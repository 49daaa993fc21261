/** Edits that are kept back, and shown before they are made. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WorkspaceEdit } from "vscode-languageclient/node";
import { EditGate, withPreview } from "../../src/server/edits";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const a: WorkspaceEdit = { changes: { "file:///p/a/x.cu": [{ range, newText: "hip" }] } };
const b: WorkspaceEdit = {
  documentChanges: [
    { textDocument: { uri: "file:///p/ab/y.cu", version: 3 }, edits: [{ range, newText: "hip" }] },
    { kind: "rename", oldUri: "file:///p/ab/y.cu", newUri: "file:///p/ab/y.hip" },
  ],
};

describe("the gate", () => {
  it("lets edits through that nobody waits for", () => {
    assert.equal(new EditGate().keeps(a), false);
  });

  it("keeps the edits of a command back, and no later ones", async () => {
    const gate = new EditGate();
    const kept = await gate.collect(() => Promise.resolve([gate.keeps(a), gate.keeps(b)]));
    assert.deepEqual(kept, [a, b]);
    assert.equal(gate.keeps(a), false);
  });

  it("opens again when a command fails", async () => {
    const gate = new EditGate();
    await assert.rejects(gate.collect(() => Promise.reject(new Error("no"))), /no/);
    assert.equal(gate.keeps(a), false);
  });
});

describe("an edit with preview", () => {
  it("has all changes, ticked, behind one that has the editor ask", () => {
    const { documentChanges, changeAnnotations } = withPreview([a, b]);
    const [id, ask] = ["hipshift.convert", "hipshift.ask"];
    assert.deepEqual(changeAnnotations, {
      [id]: { label: "Convert to HIP", needsConfirmation: false },
      [ask]: { label: "Look at the changes", needsConfirmation: true },
    });
    assert.deepEqual(documentChanges, [
      { kind: "create", uri: "file:///p/a/x.cu", options: { ignoreIfExists: true }, annotationId: ask },
      { textDocument: { uri: "file:///p/a/x.cu", version: null }, edits: [{ range, newText: "hip", annotationId: id }] },
      { textDocument: { uri: "file:///p/ab/y.cu", version: 3 }, edits: [{ range, newText: "hip", annotationId: id }] },
      { kind: "rename", oldUri: "file:///p/ab/y.cu", newUri: "file:///p/ab/y.hip", annotationId: id },
    ]);
  });

  it("leaves out what lies outside of the folder", () => {
    assert.equal(withPreview([a, b], "file:///p/a/").documentChanges?.length, 2);
    assert.equal(withPreview([a, b], "file:///p/ab/").documentChanges?.length, 3);
    assert.equal(withPreview([a, b], "file:///q/").documentChanges?.length, 0);
  });
});
