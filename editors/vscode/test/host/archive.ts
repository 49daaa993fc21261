/** The files in a .vsix, which is a ZIP archive (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16). */
import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** Name and content of each file. */
export function unpack(path: string): Map<string, Buffer> {
  const bytes = readFileSync(path);
  let end = bytes.length - 22;
  while (bytes.readUInt32LE(end) !== END) {
    end -= 1;
  }
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== ENTRY) {
      throw new Error(`no entry at ${at}`);
    }
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    files.set(name, content(bytes, bytes.readUInt32LE(at + 42), bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

function content(bytes: Buffer, local: number, method: number, size: number): Buffer {
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const packed = bytes.subarray(start, start + size);
  return method === 0 ? packed : inflateRawSync(packed);
}
