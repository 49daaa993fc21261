/** A folder with copies of fixtures, in which the extension runs with the real server. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import * as vscode from "vscode";
import { URI } from "vscode-uri";
import * as sources from "../../src/extension";
import type { Session } from "../../src/server/session";
import { state } from "./state";

/** The program under test, which the variable HIPSHIFT_BIN names. */
export function program(): string {
  const path = resolve(process.env.HIPSHIFT_BIN ?? "../../target/debug/hipshift");
  if (!existsSync(path)) {
    throw new Error(`no hipshift at ${path}; set HIPSHIFT_BIN`);
  }
  return path;
}

export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "hipshift-vscode-"));
  readonly #context = { subscriptions: [] as { dispose(): unknown }[] };

  #extension: typeof sources = sources;

  /** Copies the named files of fixtures/ beside each other. */
  constructor(...fixtures: string[]) {
    for (const fixture of fixtures) {
      copyFileSync(join("../../fixtures", fixture), join(this.folder, basename(fixture)));
    }
    state.folders = [{ uri: URI.file(this.folder), name: "project", index: 0 }];
    state.settings.set("hipshift.path", program());
  }

  /** Starts the extension from its sources, or from elsewhere. */
  async start(extension: typeof sources = sources): Promise<Session> {
    this.#extension = extension;
    return extension.activate(this.#context as unknown as vscode.ExtensionContext);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  uri(name: string): vscode.Uri {
    return vscode.Uri.file(join(this.folder, name));
  }

  /** Opens a file in an editor that has the focus. */
  async open(name: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(this.uri(name)));
  }

  async end(): Promise<void> {
    await this.#extension.deactivate();
    for (const part of this.#context.subscriptions) {
      part.dispose();
    }
    rmSync(this.folder, { recursive: true });
  }
}

/** Waits until `ask` has an answer, for at most 20 seconds. */
export async function until<T>(what: string, ask: () => T | undefined): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const answer = ask();
    if (answer !== undefined) {
      return answer;
    }
    await new Promise((wake) => setTimeout(wake, 20));
  }
  throw new Error(`no ${what}; messages: ${state.messages.join("; ")}; log: ${state.log.slice(-5).join("; ")}`);
}

export async function findings(uri: vscode.Uri, enough = 1): Promise<vscode.Diagnostic[]> {
  return until(`findings in ${uri.path}`, () => {
    const found = vscode.languages.getDiagnostics(uri);
    return found.length >= enough ? found : undefined;
  });
}
