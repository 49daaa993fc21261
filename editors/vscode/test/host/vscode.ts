/**
 * As much of the editor's interface as the extension and the client library use, for tests that run without the editor.
 * Documents, settings, edits, commands and content providers behave as in the editor; features of languages are only kept
 * for the test to call.
 */
import { matchesGlob } from "node:path";
import { Disposable } from "./events";
import { state } from "./state";
import type { Diagnostic } from "./values";
import type { TextDocument } from "./document";
import type { URI } from "vscode-uri";

export * from "./document";
export * from "./enums";
export * from "./events";
export * from "./values";
export { window } from "./window";
export { workspace } from "./workspace";

/** The oldest editor that the extension runs in. */
export const version = "1.91.0";

export const env = { appName: "test", language: "en", openExternal: () => Promise.resolve(true) };

/** Commands that the editor has without any extension. */
const BUILT_IN = /^(vscode|markdown|editor\.action|workbench\.action)\./;

export const commands = {
  registerCommand(name: string, run: (...args: unknown[]) => unknown): Disposable {
    if (state.commands.has(name)) {
      throw new Error(`command '${name}' already exists`);
    }
    state.commands.set(name, run);
    return new Disposable(() => state.commands.delete(name));
  },

  executeCommand(name: string, ...args: unknown[]): Promise<unknown> {
    const run = state.commands.get(name);
    if (run !== undefined) {
      return Promise.resolve(run(...args));
    }
    if (!BUILT_IN.test(name)) {
      return Promise.reject(new Error(`command '${name}' not found`));
    }
    state.executed.push([name, ...args]);
    return Promise.resolve(undefined);
  },
};

interface Filter {
  scheme?: string;
  language?: string;
  pattern?: string;
}

function match(selector: Filter | readonly Filter[], { uri, languageId }: TextDocument): number {
  const filters = Array.isArray(selector) ? (selector as readonly Filter[]) : [selector as Filter];
  const fits = ({ scheme, language, pattern }: Filter) =>
    (scheme ?? uri.scheme) === uri.scheme &&
    (language ?? languageId) === languageId &&
    (pattern === undefined || matchesGlob(uri.path, pattern));
  return filters.some(fits) ? 10 : 0;
}

function createDiagnosticCollection() {
  const found = new Map<string, readonly Diagnostic[]>();
  state.findings.set(found, found);
  return {
    set: (uri: URI, findings: readonly Diagnostic[] | undefined) => found.set(uri.toString(), findings ?? []),
    delete: (uri: URI) => found.delete(uri.toString()),
    has: (uri: URI) => found.has(uri.toString()),
    clear: () => {
      found.clear();
    },
    dispose: () => state.findings.delete(found),
  };
}

const own = {
  match,
  createDiagnosticCollection,
  getDiagnostics: (uri: URI) => [...state.findings.values()].flatMap((found) => found.get(uri.toString()) ?? []),
};

/** Keeps the provider of any `register…Provider`. */
function register(name: string) {
  return (...args: unknown[]): Disposable => {
    const provider = args.find((arg) => typeof arg === "object" && arg !== null && Object.keys(arg).some(isProvider));
    const kept = [...(state.providers.get(name) ?? []), provider];
    state.providers.set(name, kept);
    return new Disposable(() => state.providers.set(name, kept.filter((other) => other !== provider)));
  };
}

function isProvider(key: string): boolean {
  return key.startsWith("provide");
}

export const languages = new Proxy(own, {
  get: (target, name: string) => (name in target ? target[name as keyof typeof own] : register(name)),
});

export class ProcessExecution {
  constructor(
    readonly process: string,
    readonly args: string[],
  ) {}
}

export class Task {
  group: unknown;

  constructor(
    readonly definition: object,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: ProcessExecution,
    readonly problemMatchers: string[],
  ) {}
}

export const tasks = {
  registerTaskProvider: () => new Disposable(() => undefined),
  executeTask: (task: Task) => Promise.resolve(state.tasks.push(task)),
};
