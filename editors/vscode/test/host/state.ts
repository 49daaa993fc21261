/** What the tests set and look at: the other side of the editor's interface. */
import { readFileSync } from "node:fs";
import type { TextDocument, TextEditor } from "./document";
import type { Diagnostic, WorkspaceEdit } from "./values";
import type { URI } from "vscode-uri";

export interface Manifest {
  version: string;
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown }> };
    problemMatchers: { name: string; pattern: { regexp: string } & Record<string, number> }[];
    menus: Record<string, { command?: string }[]>;
    walkthroughs: { steps: { description: string; media: { markdown: string }; completionEvents: string[] }[] }[];
    languages: { id: string; extensions: string[]; configuration?: string }[];
    grammars: { path: string }[];
  };
}

export function manifest(): Manifest {
  return JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
}

export type Answer = (items: readonly never[]) => unknown;

export const state = {
  folders: [] as { uri: URI; name: string; index: number }[],
  /** Settings by full name, where they differ from the defaults of package.json. */
  settings: new Map<string, unknown>(),
  documents: [] as TextDocument[],
  editors: [] as TextEditor[],
  active: undefined as TextEditor | undefined,
  findings: new Map<unknown, Map<string, readonly Diagnostic[]>>(),
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  /** Commands of the editor itself that were run. */
  executed: [] as [string, ...unknown[]][],
  /** What language features were registered, with their providers. */
  providers: new Map<string, unknown[]>(),
  contents: new Map<string, { provideTextDocumentContent: (uri: URI, token: unknown) => unknown }>(),
  messages: [] as string[],
  /** What the user chooses in the next lists. */
  answers: [] as Answer[],
  /** Edits that were made. */
  edits: [] as WorkspaceEdit[],
  tasks: [] as { execution: { process: string; args: string[] } }[],
  terminals: [] as { shellPath: string; shellArgs: string[] }[],
  statusBar: { text: "", tooltip: "" },
  log: [] as string[],
};
