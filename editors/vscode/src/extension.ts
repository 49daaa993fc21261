/** Starts the server and registers what the user sees of it. */
import * as vscode from "vscode";
import { registerCommands } from "./commands/all";
import { ConvertedDocuments } from "./preview/convertedDocuments";
import { FollowScrolling } from "./preview/followScrolling";
import { Session } from "./server/session";
import { StatusBar } from "./statusBar";
import { HipshiftTasks, TASK_TYPE } from "./tasks";

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Session> {
  const log = vscode.window.createOutputChannel("hipshift", { log: true });
  const started = new Session(log);
  session = started;
  const converted = new ConvertedDocuments(started);
  context.subscriptions.push(
    log,
    started,
    converted,
    new FollowScrolling(converted),
    new StatusBar(started),
    vscode.tasks.registerTaskProvider(TASK_TYPE, new HipshiftTasks()),
    ...registerCommands({ session: started, converted, log }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("hipshift.path")) {
        await started.restart();
      }
    }),
  );
  await started.start();
  return started;
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
