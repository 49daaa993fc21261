/** All safe fixes of a file at once. */
import * as vscode from "vscode";
import type { Command } from "./command";

export const fixAllInFile: Command = async () => {
  const options = { kind: "source.fixAll.hipshift", apply: "first" };
  await vscode.commands.executeCommand("editor.action.sourceAction", options);
};
