/** What every command has at hand. */
import * as vscode from "vscode";
import type { ConvertedDocuments } from "../preview/convertedDocuments";
import { CONVERTED, sourceUri } from "../preview/uris";
import { UserError } from "../server/session";
import type { Session } from "../server/session";

export interface Parts {
  session: Session;
  converted: ConvertedDocuments;
  log: vscode.LogOutputChannel;
}

/** Something that the user can do. Menus give it what was clicked, the palette nothing. */
export type Command = (parts: Parts, argument?: unknown) => Promise<void>;

/** The source that a command is about: the clicked one, else the one in the active editor. */
export function chosenSource(argument: unknown): vscode.Uri {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    throw new UserError("Open a CUDA file first.");
  }
  return uri.scheme === CONVERTED ? sourceUri(uri) : uri;
}

export function activeEditor(): vscode.TextEditor {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    throw new UserError("Open a CUDA file first.");
  }
  return editor;
}
