/** Addresses of documents that exist in the editor only. */
import * as vscode from "vscode";

export const CONVERTED = "hipshift-converted";

/**
 * The document that shows `source` as HIP. Its name tells it from the source where both stand side by side, and ends as
 * the source's does, so that the editor knows the language.
 */
export function convertedUri(source: vscode.Uri): vscode.Uri {
  const path = source.path.replace(/(\.[^./]*)?$/, " (HIP)$1");
  return source.with({ scheme: CONVERTED, path, query: source.toString(), fragment: "" });
}

/** The source that a converted document shows. */
export function sourceUri(converted: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(converted.query, true);
}
