/** Going from CUDA to HIP and back. */
import * as vscode from "vscode";
import { otherLine } from "../preview/lines";
import { CONVERTED, convertedUri, sourceUri } from "../preview/uris";
import { counterpart } from "../server/protocol";
import type { Session } from "../server/session";
import { activeEditor } from "./command";
import type { Command } from "./command";

export const goToCounterpart: Command = async ({ session, converted }) => {
  const { document, selection } = activeEditor();
  const here = document.uri;
  if (here.scheme === CONVERTED) {
    await show(sourceUri(here), otherLine(converted.map(here), "converted", selection.active.line));
    return;
  }
  const onDisk = await counterpartOnDisk(session, document, selection.active);
  if (onDisk !== undefined) {
    await show(onDisk.uri, onDisk.range.start.line);
    return;
  }
  const there = convertedUri(here);
  await vscode.workspace.openTextDocument(there);
  await show(there, otherLine(converted.map(there), "source", selection.active.line));
};

/** Where the server knows a converted file, or the source of one. */
async function counterpartOnDisk(
  session: Session,
  document: vscode.TextDocument,
  place: vscode.Position,
): Promise<vscode.Location | undefined> {
  const textDocument = { uri: document.uri.toString() };
  const position = session.client.code2ProtocolConverter.asPosition(place);
  const location = await session.client.sendRequest(counterpart, { textDocument, position });
  const range = session.client.protocol2CodeConverter.asRange(location?.range);
  const isFile = location?.uri.startsWith("file:") ?? false;
  return location === null || !isFile || range === undefined
    ? undefined
    : new vscode.Location(vscode.Uri.parse(location.uri), range);
}

async function show(uri: vscode.Uri, line: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const place = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(document, { selection: place, preview: false });
}
