/** Edits that the server sends, on their way to the editor. */
import { ChangeAnnotation, CreateFile } from "vscode-languageclient/node";
import type { WorkspaceEdit } from "vscode-languageclient/node";

const ANNOTATION = "hipshift.convert";
const ASK = "hipshift.ask";

/** Passes edits on; while a command wants them together, it keeps them back. */
export class EditGate {
  #kept: WorkspaceEdit[] | undefined;

  /** Whether the edit was kept back, and so must not be made now. */
  keeps(edit: WorkspaceEdit): boolean {
    this.#kept?.push(edit);
    return this.#kept !== undefined;
  }

  /** Runs `work`, and returns the edits that the server sent meanwhile in place of making them. */
  async collect(work: () => Promise<unknown>): Promise<WorkspaceEdit[]> {
    const kept: WorkspaceEdit[] = [];
    this.#kept = kept;
    try {
      await work();
    } finally {
      this.#kept = undefined;
    }
    return kept;
  }
}

/**
 * All edits in one, which the editor shows and lets the user choose from before it makes them. Only files whose address
 * begins with `start` are in it.
 *
 * The editor asks if a part wants to be confirmed, and leaves such parts out unless the user ticks them. So what wants to be
 * confirmed is a part that does nothing, the creation of a file that is there, and all others are ticked.
 */
export function withPreview(edits: WorkspaceEdit[], start = ""): WorkspaceEdit {
  const chosen = edits.flatMap(documentChanges).filter((change) => addressOf(change).startsWith(start));
  const changes = chosen.map((change) => {
    if (!("edits" in change)) {
      return { ...change, annotationId: ANNOTATION };
    }
    const annotated = change.edits.map((edit) => ({ ...edit, annotationId: ANNOTATION }));
    return { ...change, edits: annotated };
  });
  const [first] = chosen.map(addressOf);
  const ask = first === undefined ? [] : [CreateFile.create(first, { ignoreIfExists: true }, ASK)];
  return {
    documentChanges: [...ask, ...changes],
    changeAnnotations: {
      [ANNOTATION]: ChangeAnnotation.create("Convert to HIP", false),
      [ASK]: ChangeAnnotation.create("Look at the changes", true),
    },
  };
}

type Change = NonNullable<WorkspaceEdit["documentChanges"]>[number];

function addressOf(change: Change): string {
  if ("edits" in change) {
    return change.textDocument.uri;
  }
  return change.kind === "rename" ? change.oldUri : change.uri;
}

function documentChanges(edit: WorkspaceEdit): Change[] {
  const plain = Object.entries(edit.changes ?? {});
  const changes = plain.map(([uri, edits]) => ({ textDocument: { uri, version: null }, edits }));
  return [...changes, ...(edit.documentChanges ?? [])];
}
