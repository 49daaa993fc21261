/** What the server understands beyond the Language Server Protocol. */
import { NotificationType, RequestType } from "vscode-languageclient/node";
import type { Location, Position, Range, TextDocumentIdentifier } from "vscode-languageclient/node";

/** The CUDA file of a document, as HIP. */
export interface Converted {
  /** Where the converted text would stand. */
  uri: string;
  languageId: string;
  text: string;
  /** Places of the source and of the result that belong together, from top to bottom. */
  map: Pair[];
}

export interface Pair {
  source: Range;
  converted: Range;
}

/** What the server converts for. */
export interface Status {
  targets: string[];
  rocm: string;
  wavePolicy: string;
  /** Why warps have that many lanes. */
  wavePolicyReason: string;
  /** The folder of the project that this holds for. */
  root: string;
}

export const openConverted = new RequestType<{ textDocument: TextDocumentIdentifier }, Converted, void>(
  "hipshift/openConverted",
);

export const counterpart = new RequestType<
  { textDocument: TextDocumentIdentifier; position: Position },
  Location | null,
  void
>("hipshift/counterpart");

export const status = new RequestType<{ textDocument?: TextDocumentIdentifier }, Status, void>("hipshift/status");

export const convertedChanged = new NotificationType<{ uri: string }>("hipshift/convertedChanged");

/** Commands that the server carries out. The client library registers them under the same names. */
export const serverCommands = {
  convertFile: "hipshift.convertFile",
  convertWorkspace: "hipshift.convertWorkspace",
  convertSelection: "hipshift.convertSelection",
  openRule: "hipshift.openRule",
} as const;
