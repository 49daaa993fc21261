/** The conversion beside its source, live. */
import * as vscode from "vscode";
import { convertedUri } from "../preview/uris";
import { chosenSource } from "./command";
import type { Command } from "./command";

export const showConverted: Command = async (_, argument) => {
  const document = await vscode.workspace.openTextDocument(convertedUri(chosenSource(argument)));
  const options = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false };
  await vscode.window.showTextDocument(document, options);
};

export const compareWithConverted: Command = async (_, argument) => {
  const source = chosenSource(argument);
  const name = vscode.workspace.asRelativePath(source);
  await vscode.commands.executeCommand("vscode.diff", source, convertedUri(source), `${name}: CUDA ↔ HIP`);
};
