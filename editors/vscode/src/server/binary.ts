/** Finds the program `hipshift`. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** What is asked of the machine, so that tests can stand in for it. */
export interface Machine {
  platform: string;
  /** The variable PATH. */
  path: string;
  /** Whether the file is there and may be started. */
  isProgram: (file: string) => boolean;
}

export type Found = { program: string } | { problem: string };

export function thisMachine(): Machine {
  return { platform: process.platform, path: process.env.PATH ?? "", isProgram };
}

/** Looks where the setting says, or on PATH if it says nothing. */
export function findProgram(setting: string, machine: Machine): Found {
  const names = machine.platform === "win32" ? ["hipshift.exe"] : ["hipshift"];
  if (setting === "") {
    const folders = machine.path.split(delimiter).filter((folder) => folder !== "");
    const program = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(machine.isProgram);
    return program === undefined ? { problem: "hipshift was not found on PATH." } : { program };
  }
  if (!isAbsolute(setting)) {
    return { problem: `The setting hipshift.path has to be an absolute path, but is "${setting}".` };
  }
  // A folder is as good as the program in it.
  const candidates = [setting, ...names.map((name) => join(setting, name))];
  const program = candidates.find(machine.isProgram);
  return program === undefined
    ? { problem: `There is no program at ${setting}, which the setting hipshift.path names.` }
    : { program: resolve(program) };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
