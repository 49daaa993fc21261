/** Pages of rules. */
import * as vscode from "vscode";
import { activeEditor } from "./command";
import type { Command } from "./command";

export const explainRule: Command = async ({ session }, argument) => {
  const code = typeof argument === "string" ? argument : await ask();
  if (code !== undefined && code !== "") {
    await session.openRule(code);
  }
};

/** The rule of the finding at the cursor, else what the user chooses or types. */
async function ask(): Promise<string | undefined> {
  const { document, selection } = activeEditor();
  const findings = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "hipshift");
  const here = findings.find(({ range }) => range.contains(selection.active));
  if (here !== undefined) {
    return codeOf(here);
  }
  const codes = [...new Set(findings.map(codeOf))].sort();
  return codes.length > 0
    ? vscode.window.showQuickPick(codes, { placeHolder: "Rule to explain" })
    : vscode.window.showInputBox({ prompt: "Code or name of a rule, such as A003" });
}

function codeOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === "object" ? code.value : code);
}
