/** @module Writes zip archives for tests. */
import { crc32, deflateRawSync } from "node:zlib";

/** A file in an archive. */
interface ZippedText {
  readonly path: string;
  readonly text: string;
  /** Unix mode. */
  readonly mode?: number;
  readonly flags?: number;
  /** The claimed size, if different from the real one. */
  readonly size?: number;
  readonly crc?: number;
}

/**
 * Writes a zip archive (APPNOTE 6.3.10). Can also write invalid archives, as hostile programs do.
 */
export function zip(entries: readonly ZippedText[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  const encoder = new TextEncoder();
  for (const { path, text, mode = 0o100644, flags = 0x800, ...said } of entries) {
    const name = encoder.encode(path);
    const content = encoder.encode(text);
    const packed = new Uint8Array(deflateRawSync(content));
    const sizes = (view: DataView, at: number) => {
      view.setUint16(at, 20, true);
      view.setUint16(at + 2, flags, true);
      view.setUint16(at + 4, 8, true);
      view.setUint32(at + 10, said.crc ?? crc32(content), true);
      view.setUint32(at + 14, packed.byteLength, true);
      view.setUint32(at + 18, said.size ?? content.byteLength, true);
      view.setUint16(at + 22, name.byteLength, true);
    };
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    sizes(local, 4);
    const central = new DataView(new ArrayBuffer(46));
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 0x0314, true);
    sizes(central, 6);
    central.setUint32(38, (mode << 16) >>> 0, true);
    central.setUint32(42, offset, true);
    parts.push(new Uint8Array(local.buffer), name, packed);
    offset += 30 + name.byteLength + packed.byteLength;
    directory.push(new Uint8Array(central.buffer), name);
  }
  const length = directory.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, entries.length, true);
  end.setUint16(10, entries.length, true);
  end.setUint32(12, length, true);
  end.setUint32(16, offset, true);
  const all = [...parts, ...directory, new Uint8Array(end.buffer)];
  const bytes = new Uint8Array(all.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
