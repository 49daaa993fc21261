/** `vscode.workspace`: documents, settings, edits. */
import { readFileSync, renameSync } from "node:fs";
import { relative } from "node:path";
import type { URI } from "vscode-uri";
import { TextDocument } from "./document";
import { CancellationTokenSource, Disposable, EventEmitter } from "./events";
import { manifest, state } from "./state";
import { TextEdit } from "./values";
import type { WorkspaceEdit } from "./values";

const opened = new EventEmitter<TextDocument>();
const changed = new EventEmitter<ReturnType<TextDocument["edit"]>>();
const closed = new EventEmitter<TextDocument>();
const saved = new EventEmitter<TextDocument>();
const settingsChanged = new EventEmitter<{ affectsConfiguration: (section: string) => boolean }>();
const never = new EventEmitter<never>();

/** The settings as a tree, from the defaults of package.json and what the test set. */
function tree(): Record<string, unknown> {
  const defaults = Object.entries(manifest().contributes.configuration.properties);
  const all = [...defaults.map(([name, value]) => [name, value.default] as const), ...state.settings];
  const root: Record<string, unknown> = {};
  for (const [name, value] of all) {
    const parts = name.split(".");
    const last = parts.pop() ?? "";
    let node = root;
    for (const part of parts) {
      node = (node[part] ??= {}) as Record<string, unknown>;
    }
    node[last] = value;
  }
  return root;
}

function walk(node: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], node);
}

function find(uri: URI): TextDocument | undefined {
  return state.documents.find((document) => document.uri.toString() === uri.toString());
}

async function read(uri: URI): Promise<string> {
  if (uri.scheme === "file") {
    return readFileSync(uri.fsPath, "utf8");
  }
  const provider = state.contents.get(uri.scheme);
  const text = await provider?.provideTextDocumentContent(uri, new CancellationTokenSource().token);
  if (typeof text !== "string") {
    throw new Error(`nobody provides ${uri.toString()}`);
  }
  return text;
}

function add(document: TextDocument): TextDocument {
  state.documents.push(document);
  opened.fire(document);
  return document;
}

export function close(document: TextDocument): void {
  document.isClosed = true;
  state.documents = state.documents.filter((other) => other !== document);
  closed.fire(document);
}

export const workspace = {
  get workspaceFolders() {
    return state.folders.length === 0 ? undefined : state.folders;
  },
  get textDocuments() {
    return state.documents;
  },
  notebookDocuments: [],

  getConfiguration(section?: string) {
    const node = section === undefined ? tree() : walk(tree(), section);
    return {
      ...(node as object),
      get: (name: string, otherwise?: unknown) => walk(node, name) ?? otherwise,
      inspect: (name: string) => ({ workspaceValue: state.settings.get(`${section ?? ""}.${name}`) }),
      update(name: string, value: unknown) {
        const full = `${section ?? ""}.${name}`;
        state.settings.set(full, value);
        settingsChanged.fire({ affectsConfiguration: (asked) => `${full}.`.startsWith(`${asked}.`) });
        return Promise.resolve();
      },
    };
  },

  getWorkspaceFolder: (uri: URI) => state.folders.find((folder) => uri.path.startsWith(`${folder.uri.path}/`)),
  asRelativePath: (uri: URI) => relative(state.folders[0]?.uri.fsPath ?? "/", uri.fsPath),
  openTextDocument: async (uri: URI) => find(uri) ?? add(new TextDocument(uri, await read(uri))),
  saveAll: () => Promise.resolve(true),

  async applyEdit(edit: WorkspaceEdit): Promise<boolean> {
    state.edits.push(edit);
    for (const step of edit.steps) {
      if ("edits" in step) {
        const document = await workspace.openTextDocument(step.uri);
        changed.fire(document.edit(step.edits.map(({ range, newText }) => new TextEdit(range, newText))));
      } else {
        const document = await workspace.openTextDocument(step.from);
        renameSync(step.from.fsPath, step.to.fsPath);
        close(document);
        add(new TextDocument(step.to, document.getText()));
      }
    }
    return true;
  },

  registerTextDocumentContentProvider(
    scheme: string,
    provider: { provideTextDocumentContent: (uri: URI, token: unknown) => unknown; onDidChange?: EventEmitter<URI>["event"] },
  ) {
    if (state.contents.has(scheme)) {
      throw new Error(`two providers for ${scheme}`);
    }
    state.contents.set(scheme, provider);
    // As in the editor, a document stays as it is if its provider fails.
    const listening = provider.onDidChange?.((uri) =>
      read(uri).then(
        (text) => find(uri)?.setText(text),
        () => undefined,
      ),
    );
    return new Disposable(() => {
      listening?.dispose();
      state.contents.delete(scheme);
    });
  },

  createFileSystemWatcher: () => ({
    onDidCreate: never.event,
    onDidChange: never.event,
    onDidDelete: never.event,
    dispose: () => undefined,
  }),

  onDidOpenTextDocument: opened.event,
  onDidChangeTextDocument: changed.event,
  onDidCloseTextDocument: closed.event,
  onDidSaveTextDocument: saved.event,
  onDidChangeConfiguration: settingsChanged.event,
  onWillSaveTextDocument: never.event,
  onDidChangeWorkspaceFolders: never.event,
  onDidCreateFiles: never.event,
  onDidRenameFiles: never.event,
  onDidDeleteFiles: never.event,
  onWillCreateFiles: never.event,
  onWillRenameFiles: never.event,
  onWillDeleteFiles: never.event,
  onDidOpenNotebookDocument: never.event,
  onDidChangeNotebookDocument: never.event,
  onDidSaveNotebookDocument: never.event,
  onDidCloseNotebookDocument: never.event,
};
