/** What the server converts for, in the status bar. */
import * as vscode from "vscode";
import type { Status } from "./server/protocol";
import type { Session } from "./server/session";
import { SECTION } from "./settings";

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
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SECTION)) {
          refresh();
        }
      }),
    ];
  }

  /** Asks the server, and shows the answer. */
  async refresh(): Promise<void> {
    if (!this.#session.isRunning) {
      this.#item.text = "$(warning) hipshift";
      this.#item.tooltip = "hipshift is not running";
    } else {
      const status = await this.#session.status(hereOrNowhere());
      this.#item.text = statusText(status);
      this.#item.tooltip = statusDetails(status);
    }
    this.#item.show();
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
