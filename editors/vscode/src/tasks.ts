/** Tasks that run hipshift in a terminal. */
import * as vscode from "vscode";
import { findProgram, thisMachine } from "./server/binary";
import { serverPath } from "./settings";

export const TASK_TYPE = "hipshift";

/** What `tasks.json` says of a task. */
export interface Definition extends vscode.TaskDefinition {
  command: "lint" | "validate";
  /** Files and folders; the folder of the workspace if there are none. */
  paths?: string[];
  /** Further arguments. */
  args?: string[];
}

const MATCHERS = { lint: "$hipshift-lint", validate: "$hipshift-validate" } as const;

export class HipshiftTasks implements vscode.TaskProvider {
  provideTasks(): vscode.Task[] {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const commands = ["lint", "validate"] as const;
    const definitions = commands.map((command): Definition => ({ type: TASK_TYPE, command }));
    return folders.flatMap((folder) => definitions.flatMap((definition) => task(definition, folder) ?? []));
  }

  resolveTask({ definition, scope }: vscode.Task): vscode.Task | undefined {
    const isFolder = typeof scope === "object";
    return isDefinition(definition) ? task(definition, isFolder ? scope : vscode.TaskScope.Workspace) : undefined;
  }
}

/** The arguments that a task starts hipshift with. */
export function taskArguments({ command, paths, args }: Definition): string[] {
  const format = command === "lint" ? ["--format", "concise"] : [];
  return [command, ...format, ...(args ?? []), ...(paths ?? ["."])];
}

/** The task of a definition, or nothing where hipshift is not to be found. */
export function task(definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Task | undefined {
  const found = findProgram(serverPath(), thisMachine());
  if ("problem" in found) {
    return undefined;
  }
  const execution = new vscode.ProcessExecution(found.program, taskArguments(definition));
  const name = [definition.command, ...(definition.paths ?? [])].join(" ");
  const made = new vscode.Task(definition, scope, name, "hipshift", execution, [MATCHERS[definition.command]]);
  made.group = vscode.TaskGroup.Test;
  return made;
}

function isDefinition(definition: vscode.TaskDefinition): definition is Definition {
  return definition.type === TASK_TYPE && (definition.command === "lint" || definition.command === "validate");
}
