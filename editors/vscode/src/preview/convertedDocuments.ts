/** Documents that show a CUDA file as HIP, and follow each change of it. */
import * as vscode from "vscode";
import type { Pair } from "../server/protocol";
import type { Session } from "../server/session";
import { CONVERTED, convertedUri, sourceUri } from "./uris";

export class ConvertedDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #session: Session;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #maps = new Map<string, Pair[]>();
  readonly #subscriptions: { dispose(): unknown }[];

  readonly onDidChange = this.#changed.event;

  constructor(session: Session) {
    this.#session = session;
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(CONVERTED, this),
      session.onDidChangeConverted((source) => {
        this.#changed.fire(convertedUri(source));
      }),
      session.onDidChangeState(() => {
        this.#refresh();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.#maps.delete(document.uri.toString())),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const converted = await this.#session.converted(sourceUri(uri), token);
    this.#maps.set(uri.toString(), converted.map);
    return converted.text;
  }

  /** Which places of a converted document and its source belong together; empty before it was shown. */
  map(converted: vscode.Uri): Pair[] {
    return this.#maps.get(converted.toString()) ?? [];
  }

  /** Has the editor ask again for all that is shown: other settings convert otherwise, and a new server knows of nothing. */
  #refresh(): void {
    if (this.#session.isRunning) {
      for (const shown of this.#maps.keys()) {
        this.#changed.fire(vscode.Uri.parse(shown, true));
      }
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }
}
