/** Choosing which changes of a file to make. */
import { dirname } from "node:path";
import * as vscode from "vscode";
import { UserError } from "../server/session";
import { resultSettings } from "../settings";
import { activeEditor } from "./command";
import type { Command } from "./command";
import { changes, diffArguments, replaced } from "./hunks";
import type { Hunk } from "./hunks";

interface Item extends vscode.QuickPickItem {
  hunk: Hunk;
}

export const reviewChanges: Command = async ({ session }) => {
  const editor = activeEditor();
  const { document } = editor;
  const folder = dirname(document.uri.fsPath);
  const version = document.version;
  const args = diffArguments(await session.status(document.uri), resultSettings());
  const hunks = await changes(session.program, folder, document.getText(), args);
  if (hunks.length === 0) {
    void vscode.window.showInformationMessage("hipshift would change nothing in this file.");
    return;
  }
  const chosen = await vscode.window.showQuickPick(hunks.map(item), {
    canPickMany: true,
    title: "Changes to make; what is not ticked stays as it is",
    matchOnDescription: true,
    matchOnDetail: true,
    onDidSelectItem: (selected) => {
      if (typeof selected !== "string") {
        const { hunk } = selected as Item;
        editor.revealRange(rangeOf(document, hunk), vscode.TextEditorRevealType.InCenter);
      }
    },
  });
  if (chosen === undefined) {
    return;
  }
  if (document.version !== version) {
    throw new UserError("The file changed meanwhile, so nothing was done. Review it once more.");
  }
  const edit = new vscode.WorkspaceEdit();
  for (const { hunk } of chosen) {
    edit.replace(document.uri, rangeOf(document, hunk), hunk.after.lines.join(""));
  }
  await vscode.workspace.applyEdit(edit);
};

function item(hunk: Hunk): Item {
  const { start } = replaced(hunk);
  const rules = [...new Set(hunk.fixes.map(({ code, rule }) => `${code} ${rule}`))];
  const after = hunk.after.lines.map((line) => line.trim()).join(" ⏎ ");
  const before = hunk.before.lines.map((line) => line.trim()).join(" ⏎ ");
  return { label: `${start + 1}: ${after}`, description: rules.join(", "), detail: before, picked: true, hunk };
}

/** The lines of a hunk in the document. A last line without an end has none to replace. */
function rangeOf(document: vscode.TextDocument, hunk: Hunk): vscode.Range {
  const { start, end } = replaced(hunk);
  return document.validateRange(new vscode.Range(start, 0, end, 0));
}
