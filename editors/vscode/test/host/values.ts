/** Plain values of the editor's interface: places, edits, findings, and what the client library derives classes from. */
import { URI } from "vscode-uri";

export { URI as Uri };

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}

  isBeforeOrEqual(other: Position): boolean {
    return this.line < other.line || (this.line === other.line && this.character <= other.character);
  }

  isEqual(other: Position): boolean {
    return this.line === other.line && this.character === other.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(start: Position | number, end: Position | number, endLine?: number, endCharacter?: number) {
    this.start = typeof start === "number" ? new Position(start, end as number) : start;
    this.end = typeof end === "number" ? new Position(endLine ?? 0, endCharacter ?? 0) : end;
  }

  get isEmpty(): boolean {
    return this.start.isEqual(this.end);
  }

  contains(place: Position): boolean {
    return this.start.isBeforeOrEqual(place) && place.isBeforeOrEqual(this.end);
  }
}

export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
}

export class Location {
  constructor(
    readonly uri: URI,
    readonly range: Range,
  ) {}
}

export class TextEdit {
  constructor(
    readonly range: Range,
    readonly newText: string,
  ) {}
}

/** A change of a workspace, as a list in the order in which it is made. */
export class WorkspaceEdit {
  readonly steps: ({ uri: URI; edits: TextEdit[] } | { from: URI; to: URI })[] = [];
  /** Whether the editor shows it before it is made. */
  asks = false;

  replace(uri: URI, range: Range, newText: string): void {
    this.steps.push({ uri, edits: [new TextEdit(range, newText)] });
  }

  set(uri: URI, edits: (TextEdit | [TextEdit, Metadata?])[]): void {
    const pairs = edits.map((edit) => (Array.isArray(edit) ? edit : ([edit, undefined] as const)));
    this.steps.push({ uri, edits: pairs.filter(([, metadata]) => this.#isTicked(metadata)).map(([text]) => text) });
  }

  renameFile(from: URI, to: URI, _options?: unknown, metadata?: Metadata): void {
    if (this.#isTicked(metadata)) {
      this.steps.push({ from, to });
    }
  }

  /** Does nothing: tests create only files that are there. */
  createFile(_uri: URI, _options?: unknown, metadata?: Metadata): void {
    this.#isTicked(metadata);
  }

  /** What wants to be confirmed has the editor ask, and is left out by users who do nothing but agree. */
  #isTicked(metadata?: Metadata): boolean {
    const waits = metadata?.needsConfirmation === true;
    this.asks ||= waits;
    return !waits;
  }
}

interface Metadata {
  needsConfirmation: boolean;
}

export class Diagnostic {
  source?: string;
  code?: unknown;

  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}

export class CodeAction {
  edit?: WorkspaceEdit;
  command?: { command: string; arguments?: unknown[] };

  constructor(
    readonly title: string,
    readonly kind?: CodeActionKind,
  ) {}
}

export class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  static readonly QuickFix = new CodeActionKind("quickfix");
  static readonly Refactor = new CodeActionKind("refactor");
  static readonly RefactorExtract = new CodeActionKind("refactor.extract");
  static readonly RefactorInline = new CodeActionKind("refactor.inline");
  static readonly RefactorRewrite = new CodeActionKind("refactor.rewrite");
  static readonly Source = new CodeActionKind("source");
  static readonly SourceOrganizeImports = new CodeActionKind("source.organizeImports");

  constructor(readonly value: string) {}

  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

export class MarkdownString {
  isTrusted = false;
  supportHtml = false;

  constructor(public value = "") {}

  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }

  appendCodeblock(text: string, language = ""): this {
    return this.appendMarkdown(`\n\`\`\`${language}\n${text}\n\`\`\`\n`);
  }
}

export class Hover {
  readonly contents: MarkdownString[];

  constructor(
    contents: MarkdownString | MarkdownString[],
    readonly range?: Range,
  ) {
    this.contents = Array.isArray(contents) ? contents : [contents];
  }
}

export class DiagnosticRelatedInformation {
  constructor(
    readonly location: Location,
    readonly message: string,
  ) {}
}

export class RelativePattern {
  constructor(
    readonly baseUri: unknown,
    readonly pattern: string,
  ) {}
}

/** Classes that the client library derives from, and that these tests make no objects of. */
export class CompletionItem {}
export class CodeLens {}
export class DocumentLink {}
export class InlayHint {}
export class SymbolInformation {}
export class CallHierarchyItem {}
export class TypeHierarchyItem {}
export class TabInputText {}
export class TabInputTextDiff {}
export class TabInputCustom {}
export class TabInputNotebook {}
export class CancellationError extends Error {}
