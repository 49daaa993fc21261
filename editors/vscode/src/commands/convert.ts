/** Converting, always with a preview of what is going to change. */
import * as vscode from "vscode";
import { serverCommands } from "../server/protocol";
import { activeEditor, chosenSource } from "./command";
import type { Command } from "./command";

export const convertThisFile: Command = async ({ session }, argument) => {
  const source = chosenSource(argument);
  const uri = source.toString();
  // The server converts what is open.
  await vscode.workspace.openTextDocument(source);
  await session.previewed(serverCommands.convertFile, { uri });
};

export const convertFolder: Command = async ({ session }, argument) => {
  const folder = argument instanceof vscode.Uri ? argument : (await askForFolder())[0];
  if (folder !== undefined) {
    // How many lanes warps have is decided for the whole project, so all of it is looked at.
    await session.previewed(serverCommands.convertWorkspace, {}, folder);
  }
};

export const convertWholeWorkspace: Command = async ({ session }) => {
  await session.previewed(serverCommands.convertWorkspace, {});
};

export const convertSelection: Command = async ({ session }) => {
  const { document, selection } = activeEditor();
  const range = session.client.code2ProtocolConverter.asRange(selection);
  await session.client.sendRequest("workspace/executeCommand", {
    command: serverCommands.convertSelection,
    arguments: [{ uri: document.uri.toString(), range }],
  });
};

async function askForFolder(): Promise<vscode.Uri[]> {
  const options = { canSelectFiles: false, canSelectFolders: true, openLabel: "Convert" };
  return (await vscode.window.showOpenDialog(options)) ?? [];
}
