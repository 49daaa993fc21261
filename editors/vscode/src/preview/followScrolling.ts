/** Keeps a source and its conversion beside it at the same place. */
import * as vscode from "vscode";
import type { ConvertedDocuments } from "./convertedDocuments";
import { otherLine } from "./lines";
import { CONVERTED, convertedUri, sourceUri } from "./uris";

export class FollowScrolling implements vscode.Disposable {
  readonly #converted: ConvertedDocuments;
  readonly #subscription: vscode.Disposable;
  /** The editor that was scrolled by us; what it reports next is not the user's doing. */
  #moved: vscode.TextEditor | undefined;

  constructor(converted: ConvertedDocuments) {
    this.#converted = converted;
    this.#subscription = vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
      const top = visibleRanges[0]?.start.line;
      if (top !== undefined) {
        this.#follow(textEditor, top);
      }
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #follow(scrolled: vscode.TextEditor, top: number): void {
    if (scrolled === this.#moved) {
      this.#moved = undefined;
      return;
    }
    const uri = scrolled.document.uri;
    const isConverted = uri.scheme === CONVERTED;
    const map = this.#converted.map(isConverted ? uri : convertedUri(uri));
    const other = (isConverted ? sourceUri(uri) : convertedUri(uri)).toString();
    const editor = vscode.window.visibleTextEditors.find((shown) => shown.document.uri.toString() === other);
    if (editor === undefined || map.length === 0) {
      return;
    }
    const line = otherLine(map, isConverted ? "converted" : "source", top);
    if (editor.visibleRanges[0]?.start.line !== line) {
      this.#moved = editor;
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
    }
  }
}
