/** `hipshift review`, which keeps decisions for later runs. */
import * as vscode from "vscode";
import { UserError } from "../server/session";
import { chosenSource } from "./command";
import type { Command } from "./command";

export const reviewInTerminal: Command = async ({ session }, argument) => {
  const uri = chosenSource(argument);
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (document?.isDirty === true && !(await document.save())) {
    throw new UserError("Save the file first: the review reads it from the disk.");
  }
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  const terminal = vscode.window.createTerminal({
    name: "hipshift review",
    shellPath: session.program,
    shellArgs: ["review", uri.fsPath],
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  terminal.show();
};
