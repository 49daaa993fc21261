/** Numbers that the editor's interface gives names. */

export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const DiagnosticTag = { Unnecessary: 1, Deprecated: 2 };
export const CompletionItemKind = { Text: 0 };
export const CompletionItemTag = { Deprecated: 1 };
export const SymbolKind = { Property: 6, TypeParameter: 25 };
export const SymbolTag = { Deprecated: 1 };
export const CodeActionTriggerKind = { Invoke: 1, Automatic: 2 };
export const CompletionTriggerKind = { Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2 };
export const SignatureHelpTriggerKind = { Invoke: 1, TriggerCharacter: 2, ContentChange: 3 };
export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };
export const DocumentHighlightKind = { Text: 0, Read: 1, Write: 2 };
export const FoldingRangeKind = { Comment: 1, Imports: 2, Region: 3 };
export const FileType = { Unknown: 0, File: 1, Directory: 2 };
export const LogLevel = { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 };
export const NotebookCellKind = { Markup: 1, Code: 2 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };
export const TextEditorRevealType = { Default: 0, InCenter: 1, InCenterIfOutsideViewport: 2, AtTop: 3 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ViewColumn = { Active: -1, Beside: -2, One: 1 };
export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
export const TaskScope = { Global: 1, Workspace: 2 };
export const TaskGroup = { Test: { id: "test" } };
