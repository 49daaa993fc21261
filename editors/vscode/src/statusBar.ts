/** What the server converts for, in the status bar. */
import * as vscode from "vscode";
import type { Status } from "./server/protocol";
import type { Session } from "./server/session";

export const CHOOSE = "hipshift.chooseTargets";

export class StatusBar implements vscode.Disposable {
  readonly #session: Session;
  readonly #item = vscode.window.createStatusBarItem("hipshift.status", vscode.StatusBarAlignment.Right, 50);
  readonly #subscriptions: { dispose(): unknown }[];

  constructor(session: Session) {
    this.#session = session;
    this.#item.name = "hipshift";
    this.#item.command = CHOOSE;
    const refresh = () => void this.refresh();
    this.#subscriptions = [
      this.#item,
      session.onDidChangeState(refresh),
      session.onDidChangeConverted(refresh),
      vscode.window.onDidChangeActiveTextEditor(refresh),
      vscode.workspace.onDidSaveTextDocument(refresh),
    ];
  }

  /** Asks the server, and shows the answer. */
  async refresh(): Promise<void> {
    const status = await this.#status();
    this.#item.text = status === undefined ? "$(warning) hipshift" : statusText(status);
    this.#item.tooltip = status === undefined ? "hipshift is not running" : statusDetails(status);
    this.#item.show();
  }

  /** What the server says; nothing where none runs, or where it ends while it is asked. */
  async #status(): Promise<Status | undefined> {
    try {
      return this.#session.isRunning ? await this.#session.status(hereOrNowhere()) : undefined;
    } catch {
      return undefined;
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }
}

/** The file in the active editor, whose project counts. */
function hereOrNowhere(): vscode.Uri | undefined {
  const here = vscode.window.activeTextEditor?.document.uri;
  return here?.scheme === "file" ? here : undefined;
}

export function statusText({ targets, wavePolicy }: Status): string {
  return `HIP: ${targets.join(" ")} · ${wavePolicy}`;
}

export function statusDetails({ targets, rocm, wavePolicy, wavePolicyReason, root }: Status): string {
  const why = wavePolicyReason === "" ? "" : `: ${wavePolicyReason}`;
  return [`Targets: ${targets.join(", ")}`, `ROCm: ${rocm}`, `Warps: ${wavePolicy}${why}`, `Project: ${root}`].join("\n");
}
