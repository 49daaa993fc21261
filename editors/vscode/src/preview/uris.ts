/** Addresses of documents that exist in the editor only. */
import * as vscode from "vscode";

export const CONVERTED = "hipshift-converted";

/** The document that shows `source` as HIP. Its path ends as the source's does, so that the editor knows the language. */
export function convertedUri(source: vscode.Uri): vscode.Uri {
  return source.with({ scheme: CONVERTED, query: source.toString(), fragment: "" });
}

/** The source that a converted document shows. */
export function sourceUri(converted: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(converted.query, true);
}
