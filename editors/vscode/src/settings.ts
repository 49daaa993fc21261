/** The extension's own settings; the server asks for the others itself (`workspace/configuration`). */
import { homedir } from "node:os";
import * as vscode from "vscode";

export const SECTION = "hipshift";

/** What `hipshift.path` says, with `~` and `${workspaceFolder}` written out; empty: look on PATH. */
export function serverPath(): string {
  const text = vscode.workspace.getConfiguration(SECTION).get<string>("path", "").trim();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return text.replace(/^~(?=[/\\]|$)/, homedir()).replaceAll("${workspaceFolder}", folder);
}

/** Settings that change what a conversion makes, and that the server does not tell with its status; empty ones set nothing. */
export interface ResultSettings {
  launch: string;
  launchBounds: string;
  select: string[];
  ignore: string[];
}

export function resultSettings(): ResultSettings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return {
    launch: settings.get("launch", ""),
    launchBounds: settings.get("launchBounds", ""),
    select: settings.get("lint.select", []),
    ignore: settings.get("lint.ignore", []),
  };
}

/** Sets a setting where it is set already, else in the workspace, else for the user. */
export async function change(name: string, value: unknown): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const set = settings.inspect(name);
  const inWorkspace = set?.workspaceValue !== undefined || vscode.workspace.workspaceFolders !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update(name, value, target);
}
