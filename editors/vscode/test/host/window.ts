/** `vscode.window`: editors, lists, messages. */
import { TextDocument, TextEditor } from "./document";
import { CancellationTokenSource, EventEmitter } from "./events";
import { state } from "./state";
import { Selection } from "./values";
import type { Range } from "./values";

const activeChanged = new EventEmitter<TextEditor | undefined>();
const visibleChanged = new EventEmitter<TextEditor[]>();
const scrolled = new EventEmitter<{ textEditor: TextEditor; visibleRanges: Range[] }>();
const never = new EventEmitter<never>();

function tell(message: string): Promise<undefined> {
  state.messages.push(message);
  return Promise.resolve(undefined);
}

function write(...words: unknown[]): void {
  state.log.push(words.map(String).join(" "));
}

/** Scrolls an editor as the user does. */
export function scroll(textEditor: TextEditor, range: Range): void {
  textEditor.visibleRanges = [range];
  scrolled.fire({ textEditor, visibleRanges: [range] });
}

export const window = {
  tabGroups: { all: [], onDidChangeTabs: never.event },
  get activeTextEditor() {
    return state.active;
  },
  get visibleTextEditors() {
    return state.editors;
  },
  onDidChangeActiveTextEditor: activeChanged.event,
  onDidChangeVisibleTextEditors: visibleChanged.event,
  onDidChangeTextEditorVisibleRanges: scrolled.event,

  showTextDocument(document: TextDocument, options: { selection?: Range; preserveFocus?: boolean } = {}) {
    const shown = state.editors.find((editor) => editor.document === document);
    const editor = shown ?? new TextEditor(document);
    if (shown === undefined) {
      state.editors.push(editor);
      visibleChanged.fire(state.editors);
    }
    if (options.selection !== undefined) {
      editor.selection = new Selection(options.selection.start, options.selection.end);
    }
    if (options.preserveFocus !== true) {
      state.active = editor;
      activeChanged.fire(editor);
    }
    return Promise.resolve(editor);
  },

  showQuickPick: (items: readonly never[]) => Promise.resolve(state.answers.shift()?.(items)),
  showInputBox: () => Promise.resolve(state.answers.shift()?.([])),
  showInformationMessage: tell,
  showWarningMessage: tell,
  showErrorMessage: tell,

  createTerminal: (options: { shellPath: string; shellArgs: string[] }) => {
    state.terminals.push(options);
    return { show: () => undefined };
  },
  createOutputChannel: (name: string) => ({
    name,
    logLevel: 3,
    onDidChangeLogLevel: never.event,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: write,
    appendLine: write,
    show: () => undefined,
    dispose: () => undefined,
  }),
  createStatusBarItem: () => Object.assign(state.statusBar, { show: () => undefined, dispose: () => undefined }),
  withProgress: (_: unknown, work: (progress: object, token: object) => unknown) =>
    work({ report: () => undefined }, new CancellationTokenSource().token),
};
