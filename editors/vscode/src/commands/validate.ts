/** Compiling and running what the conversion makes. */
import * as vscode from "vscode";
import { dirname } from "node:path";
import { UserError } from "../server/session";
import { TASK_TYPE, task } from "../tasks";
import { chosenSource } from "./command";
import type { Command } from "./command";

export const validateFile: Command = async (_, argument) => {
  const uri = chosenSource(argument);
  await validate(uri, uri.fsPath);
};

export const validateFolder: Command = async (_, argument) => {
  const uri = chosenSource(argument);
  await validate(uri, argument instanceof vscode.Uri ? uri.fsPath : dirname(uri.fsPath));
};

async function validate(uri: vscode.Uri, path: string): Promise<void> {
  await vscode.workspace.saveAll(false);
  const scope = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace;
  const made = task({ type: TASK_TYPE, command: "validate", paths: [path] }, scope);
  if (made === undefined) {
    throw new UserError("hipshift was not found; set hipshift.path.");
  }
  await vscode.tasks.executeTask(made);
}
