/** @module Reads an uploaded zip archive, within limits. */
import { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { crc32, inflateRaw, type InputType, type ZlibOptions } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { MAX_SOURCE_FILES } from "../../contract/repositories.ts";
import { formatBytes } from "../../lib/format.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { LEFT_OUT } from "./site_files.ts";

/**
 * Maximum total size of an archive's unpacked files, in bytes. All of the files are in memory at
 * the same time.
 */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** Compression methods (APPNOTE 4.4.5). */
const STORED = 0;
const DEFLATED = 8;

const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** The file type in the mode field that Unix programs write (`S_IFMT`, `S_IFLNK`). */
const MODE_MASK = 0o170000;
const LINK = 0o120000;

interface ZippedFile {
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const refuse = (message: string, cause?: unknown): Failure =>
  new Failure("invalid_request", message, { cause });

/** Reads the next entry. Returns `undefined` after the last one. */
function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry | undefined>();
  const leave = () => zip.removeAllListeners("entry").removeAllListeners("end");
  zip.once("entry", (entry: Entry) => {
    leave();
    resolve(entry);
  });
  zip.once("end", () => {
    leave();
    resolve(undefined);
  });
  zip.removeAllListeners("error").on("error", reject);
  zip.readEntry();
  return promise;
}

/** Unpacks a file, up to the size stated in its entry. */
async function readContent(zip: ZipFile, entry: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const { fileName, compressionMethod, uncompressedSize, crc32: announced } = entry;
  if (entry.isEncrypted()) throw refuse(`Cannot read ${fileName}: it is encrypted`);
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    throw refuse(`Cannot read ${fileName}: only deflate compression is supported`);
  }
  const parts: Uint8Array[] = [];
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  for await (const chunk of packed) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  const content = compressionMethod === STORED
    ? bytes
    : await inflate(bytes, { maxOutputLength: Math.max(uncompressedSize, 1) })
      .catch((cause) => {
        throw refuse(
          `Cannot read ${fileName}: it is damaged or larger than the archive states`,
          cause,
        );
      });
  if (content.byteLength === uncompressedSize && crc32(content) === announced) {
    return new Uint8Array(content);
  }
  throw refuse(`Cannot read ${fileName}: it is damaged`);
}

async function readEntries(zip: ZipFile): Promise<ZippedFile[]> {
  const leftOut = new RegExp(LEFT_OUT);
  const files: ZippedFile[] = [];
  let total = 0;
  for (let entry = await nextEntry(zip); entry !== undefined; entry = await nextEntry(zip)) {
    const path = entry.fileName;
    const isLink = ((entry.externalFileAttributes >>> 16) & MODE_MASK) === LINK;
    if (path.endsWith("/") || leftOut.test(path)) continue;
    if (isLink) {
      throw refuse(
        `Cannot upload ${path}: it is a symbolic link. Replace it with a copy of its target`,
      );
    }
    total += entry.uncompressedSize;
    if (total > MAX_UNPACKED_BYTES) {
      throw new Failure(
        "payload_too_large",
        `The archive has more than ${formatBytes(MAX_UNPACKED_BYTES)} of files. Upload the ` +
          "folder instead, or use the CLI",
      );
    }
    if (files.length === MAX_SOURCE_FILES) {
      throw new Failure(
        "payload_too_large",
        `The archive has more than ${MAX_SOURCE_FILES} files. To upload more, use the CLI`,
      );
    }
    files.push({ path, content: await readContent(zip, entry) });
  }
  return files;
}

/**
 * Unpacks an archive in memory. Skips folders, tools' files, and files that can contain secrets.
 *
 * @throws {Failure} if the data is not an archive, or if the archive is damaged, is encrypted, is
 * too large, or contains a symbolic link or a path that leads outside the archive
 */
export async function readZip(bytes: Uint8Array<ArrayBuffer>): Promise<ZippedFile[]> {
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer), { lazyEntries: true });
    return await readEntries(zip);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse(`Cannot read the zip archive: ${reason}`, error);
  }
}
