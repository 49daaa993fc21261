/** All commands by name. Those that the server carries out have names of their own (server/protocol.ts). */
import * as vscode from "vscode";
import { UserError } from "../server/session";
import { CHOOSE } from "../statusBar";
import { chooseTargets } from "./chooseTargets";
import type { Command, Parts } from "./command";
import { convertFolder, convertSelection, convertThisFile, convertWholeWorkspace } from "./convert";
import { goToCounterpart } from "./counterpart";
import { explainRule } from "./explain";
import { fixAllInFile } from "./fixAll";
import { compareWithConverted, showConverted } from "./preview";
import { reviewChanges } from "./review";
import { reviewInTerminal } from "./reviewInTerminal";
import { validateFile, validateFolder } from "./validate";

export const COMMANDS: Readonly<Record<string, Command>> = {
  "hipshift.convertThisFile": convertThisFile,
  "hipshift.convertFolder": convertFolder,
  "hipshift.convertWholeWorkspace": convertWholeWorkspace,
  "hipshift.convertThisSelection": convertSelection,
  "hipshift.showConverted": showConverted,
  "hipshift.compareWithConverted": compareWithConverted,
  "hipshift.goToCounterpart": goToCounterpart,
  "hipshift.reviewChanges": reviewChanges,
  "hipshift.reviewInTerminal": reviewInTerminal,
  "hipshift.validateFile": validateFile,
  "hipshift.validateFolder": validateFolder,
  "hipshift.explainRule": explainRule,
  "hipshift.fixAllInFile": fixAllInFile,
  [CHOOSE]: chooseTargets,
  "hipshift.restartServer": ({ session }) => session.restart(),
  "hipshift.showLog": async ({ log }) => {
    await Promise.resolve();
    log.show();
  },
};

export function registerCommands(parts: Parts): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([name, command]) =>
    vscode.commands.registerCommand(name, async (argument?: unknown) => {
      try {
        await command(parts, argument);
      } catch (error) {
        parts.log.error(error instanceof Error ? error : String(error));
        const isOurs = error instanceof UserError;
        void vscode.window.showErrorMessage(isOurs ? error.message : `${name} failed: ${String(error)}`);
      }
    }),
  );
}
