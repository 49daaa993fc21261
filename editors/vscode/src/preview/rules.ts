/** Pages of rules. The client library gets their text from the server, which names their scheme. */
import * as vscode from "vscode";

const RULE = "hipshift:";

export function isRule(uri: string): boolean {
  return uri.startsWith(RULE);
}

/** Opens the page of a rule as the editor shows Markdown. */
export async function showRule(uri: string): Promise<{ success: boolean }> {
  await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(uri, true));
  return { success: true };
}
