/** The running server and the client that talks with it. */
import * as vscode from "vscode";
import { CancellationToken, LanguageClient, State } from "vscode-languageclient/node";
import type { LanguageClientOptions } from "vscode-languageclient/node";
import { serverPath } from "../settings";
import { findProgram, thisMachine } from "./binary";
import { EditGate, withPreview } from "./edits";
import { clientOptions, serverOptions } from "./options";
import { convertedChanged, openConverted, serverCommands, status } from "./protocol";
import type { Converted, Status } from "./protocol";
import { isRule, showRule } from "../preview/rules";

const OPEN_SETTINGS = "Open Settings";
const OPEN_WALKTHROUGH = "How to Install";

/** Something that the user can put right; shown as it is. */
export class UserError extends Error {}

export class Session implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #gate = new EditGate();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #stateChanged = new vscode.EventEmitter<void>();
  #client: LanguageClient | undefined;
  #program: string | undefined;
  #problem = "hipshift is not running.";

  /** The converted text of this source is another now. */
  readonly onDidChangeConverted = this.#changed.event;
  /** The server started, ended, or has other settings. */
  readonly onDidChangeState = this.#stateChanged.event;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Starts the server, or tells the user why not. */
  async start(): Promise<void> {
    const found = findProgram(serverPath(), thisMachine());
    if ("problem" in found) {
      this.#problem = found.problem;
      this.#program = undefined;
      this.#stateChanged.fire();
      void this.#tell(found.problem);
      return;
    }
    this.#program = found.program;
    const client = new LanguageClient("hipshift", "hipshift", serverOptions(found.program), this.#options());
    client.onNotification(convertedChanged, ({ uri }) => {
      this.#changed.fire(vscode.Uri.parse(uri));
    });
    client.onDidChangeState(({ newState }) => {
      this.#log.info(`server: ${State[newState]}`);
      this.#stateChanged.fire();
    });
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.#client = undefined;
      this.#problem = `${found.program} lsp did not start: ${String(error)}`;
      void this.#tell(this.#problem);
    }
    this.#stateChanged.fire();
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client?.state === State.Running) {
      await client.stop();
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  dispose(): void {
    void this.stop();
    this.#changed.dispose();
    this.#stateChanged.dispose();
  }

  /** The client. Throws what the user should read if there is no server. */
  get client(): LanguageClient {
    if (this.#client === undefined) {
      throw new UserError(this.#problem);
    }
    return this.#client;
  }

  /** The program that runs as server, for terminals and tasks. Throws if it was not found. */
  get program(): string {
    if (this.#program === undefined) {
      throw new UserError(this.#problem);
    }
    return this.#program;
  }

  get isRunning(): boolean {
    return this.#client?.state === State.Running;
  }

  /** What the project of a document is converted for; without one, the first folder of the workspace. */
  async status(document?: vscode.Uri): Promise<Status> {
    const params = document === undefined ? {} : { textDocument: { uri: this.#asServerUri(document) } };
    return this.client.sendRequest(status, params);
  }

  async converted(source: vscode.Uri, token?: vscode.CancellationToken): Promise<Converted> {
    return this.client.sendRequest(openConverted, { textDocument: { uri: this.#asServerUri(source) } }, token);
  }

  /**
   * Has the server carry out a command, and shows what it would change before that is done; with `folder`, only what lies
   * in it. Where nothing changes at all, the server says so itself.
   */
  async previewed(command: string, argument: object, folder?: vscode.Uri): Promise<void> {
    const client = this.client;
    const edits = await this.#gate.collect(() =>
      client.sendRequest("workspace/executeCommand", { command, arguments: [argument] }),
    );
    const start = folder === undefined ? "" : this.#asServerUri(folder).replace(/\/?$/, "/");
    const edit = withPreview(edits, start);
    if (edit.documentChanges?.length === 0) {
      if (edits.length > 0) {
        void vscode.window.showInformationMessage("hipshift would change nothing in this folder.");
      }
      return;
    }
    const converted = await client.protocol2CodeConverter.asWorkspaceEdit(edit);
    await vscode.workspace.applyEdit(converted, { isRefactoring: true });
  }

  /** Has the server open the page of a rule, which it knows by code and by name. */
  async openRule(code: string): Promise<void> {
    const parameters = { command: serverCommands.openRule, arguments: [{ code }] };
    await this.client.sendRequest("workspace/executeCommand", parameters);
  }

  #asServerUri(uri: vscode.Uri): string {
    return this.client.code2ProtocolConverter.asUri(uri);
  }

  #options(): LanguageClientOptions {
    return clientOptions(this.#log, {
      workspace: {
        configuration: async (params, token, next) => {
          const answer = await next(params, token);
          // The server has the settings when the answer was sent.
          setImmediate(() => {
            this.#stateChanged.fire();
          });
          return answer;
        },
        handleApplyEdit: (params, next) =>
          this.#gate.keeps(params.edit) ? { applied: true } : next(params, CancellationToken.None),
      },
      window: {
        showDocument: (params, token, next) => (isRule(params.uri) ? showRule(params.uri) : next(params, token)),
      },
    });
  }

  async #tell(problem: string): Promise<void> {
    this.#log.error(problem);
    const chosen = await vscode.window.showErrorMessage(problem, OPEN_WALKTHROUGH, OPEN_SETTINGS);
    if (chosen === OPEN_SETTINGS) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "hipshift.path");
    } else if (chosen === OPEN_WALKTHROUGH) {
      await vscode.commands.executeCommand("workbench.action.openWalkthrough", "hipshift.hipshift#hipshift.port");
    }
  }
}
