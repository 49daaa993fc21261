/** Documents and editors. */
import { writeFileSync } from "node:fs";
import type { URI } from "vscode-uri";
import { Position, Range, Selection } from "./values";
import type { TextEdit } from "./values";

const LANGUAGES: Readonly<Record<string, string>> = {
  cu: "cuda-cpp",
  cuh: "cuda-cpp",
  hip: "hip",
  md: "markdown",
  txt: "plaintext",
};

export class TextDocument {
  readonly languageId: string;
  readonly eol = 1;
  version = 1;
  isDirty = false;
  isClosed = false;
  #text: string;

  constructor(
    readonly uri: URI,
    text: string,
  ) {
    this.#text = text;
    this.languageId = LANGUAGES[uri.path.replace(/^.*\./, "")] ?? "cpp";
  }

  get fileName(): string {
    return this.uri.fsPath;
  }

  get lineCount(): number {
    return this.#text.split("\n").length;
  }

  getText(range?: Range): string {
    return range === undefined ? this.#text : this.#text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
  }

  setText(text: string): void {
    this.#text = text;
    this.version += 1;
  }

  /** Makes all edits, whose ranges are those of the text before any of them. Returns what the editor tells of it. */
  edit(edits: readonly TextEdit[]) {
    const places = edits.map((edit) => ({ edit, start: this.offsetAt(edit.range.start), end: this.offsetAt(edit.range.end) }));
    places.sort((one, other) => other.start - one.start || other.end - one.end);
    let text = this.#text;
    const contentChanges = places.map(({ edit: { range, newText }, start, end }) => {
      text = text.slice(0, start) + newText + text.slice(end);
      return { range, rangeOffset: start, rangeLength: end - start, text: newText };
    });
    this.setText(text);
    this.isDirty = true;
    return { document: this, contentChanges, reason: undefined };
  }

  save(): Promise<boolean> {
    writeFileSync(this.uri.fsPath, this.#text);
    this.isDirty = false;
    return Promise.resolve(true);
  }

  offsetAt({ line, character }: Position): number {
    const lines = this.#text.split("\n");
    const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
    return Math.min(before + character, this.#text.length);
  }

  positionAt(offset: number): Position {
    const lines = this.#text.slice(0, offset).split("\n");
    return new Position(lines.length - 1, lines.at(-1)?.length ?? 0);
  }

  validateRange({ start, end }: Range): Range {
    return new Range(this.positionAt(this.offsetAt(start)), this.positionAt(this.offsetAt(end)));
  }
}

export class TextEditor {
  visibleRanges = [new Range(0, 0, 40, 0)];
  selection = new Selection(0, 0, 0, 0);

  constructor(readonly document: TextDocument) {}

  revealRange(range: Range): void {
    this.visibleRanges = [range];
  }
}
