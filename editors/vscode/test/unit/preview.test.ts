/** The converted document: its address, its lines, and scrolling beside the source. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as vscode from "vscode";
import { FollowScrolling } from "../../src/preview/followScrolling";
import type { ConvertedDocuments } from "../../src/preview/convertedDocuments";
import { otherLine } from "../../src/preview/lines";
import { convertedUri, sourceUri } from "../../src/preview/uris";
import type { Pair } from "../../src/server/protocol";
import { TextDocument, TextEditor } from "../host/document";
import { state } from "../host/state";
import { Range } from "../host/values";
import { scroll } from "../host/window";

function lines(start: number, end: number) {
  return { start: { line: start, character: 0 }, end: { line: end, character: 0 } };
}

function top(editor: TextEditor): number | undefined {
  return editor.visibleRanges[0]?.start.line;
}

/** Lines 0 to 4 stay; 5 becomes the two lines 5 and 6; 6 to 9 stay, two lines further down from 8 on. */
const map: Pair[] = [
  { source: lines(0, 5), converted: lines(0, 5) },
  { source: lines(6, 10), converted: lines(8, 12) },
];

describe("the address of a converted document", () => {
  it("leads back to the source, whatever characters that has", () => {
    const shown = { "/a/b.cu": "/a/b (HIP).cu", "/a b/ä&?#=%25.cuh": "/a b/ä&?#=%25 (HIP).cuh", "/a.b/c": "/a.b/c (HIP)" };
    for (const [path, name] of Object.entries(shown)) {
      const source = vscode.Uri.file(path);
      const converted = convertedUri(source);
      assert.notEqual(converted.toString(), source.toString());
      assert.equal(converted.path, name);
      assert.equal(sourceUri(vscode.Uri.parse(converted.toString())).toString(), source.toString());
    }
  });
});

describe("lines", () => {
  it("within a pair have the same distance from its start", () => {
    assert.deepEqual([0, 3, 5, 6, 8].map((line) => otherLine(map, "source", line)), [0, 3, 5, 8, 10]);
    assert.deepEqual([0, 5, 8, 12].map((line) => otherLine(map, "converted", line)), [0, 5, 6, 10]);
  });

  it("behind a pair have the same distance from its end", () => {
    assert.equal(otherLine(map, "source", 12), 14);
    assert.equal(otherLine(map, "converted", 6), 6);
  });

  it("do not leave a pair that is shorter on the other side", () => {
    const shrunk = [{ source: lines(0, 9), converted: lines(0, 2) }];
    assert.equal(otherLine(shrunk, "source", 7), 2);
  });

  it("are the same without pairs", () => {
    assert.equal(otherLine([], "source", 4), 4);
  });
});

describe("scrolling", () => {
  it("moves the other side, which does not move the first again", () => {
    const source = vscode.Uri.file("/a.cu");
    const [left, right] = [source, convertedUri(source)].map((uri) => new TextEditor(new TextDocument(uri as never, "")));
    assert.ok(left !== undefined && right !== undefined);
    state.editors = [left, right];
    const shown = convertedUri(source).toString();
    const converted = { map: (uri: vscode.Uri) => (uri.toString() === shown ? map : []) };
    const following = new FollowScrolling(converted as unknown as ConvertedDocuments);
    scroll(left, new Range(8, 0, 20, 0));
    assert.equal(top(right), 10);
    // The editor reports what was done to the right side; the left one has to stay.
    scroll(right, new Range(9, 0, 21, 0));
    assert.equal(top(left), 8);
    scroll(right, new Range(12, 0, 24, 0));
    assert.equal(top(left), 10);
    following.dispose();
  });
});
