/**
 * Writes a backup's archive.
 *
 * @module
 */
import { createTarPacker } from "modern-tar";
import { createHash } from "node:crypto";
import { ifMissing } from "../../lib/missing_files.ts";
import type { BackupReport } from "./backup_layout.ts";

/** Number of bytes to read at a time. */
const PIECE = 256 * 1024;

/** Only the owner can read a backup, because it contains the keys to all secrets. */
const MODE = 0o600;

/** Receives an archive's bytes in order. */
type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes to a file directly, because Deno writes nothing if a stream is piped to a file that must
 * stay open.
 */
export const toFile = (file: Deno.FsFile): WriteBytes => async (bytes) => {
  for (let offset = 0; offset < bytes.byteLength;) {
    offset += await file.write(bytes.subarray(offset));
  }
};

async function writeStream(stream: ReadableStream<Uint8Array>, write: WriteBytes): Promise<void> {
  for await (const bytes of stream) await write(bytes);
}

/** An archive that is being written. */
export class ArchiveWriter {
  readonly #packer = createTarPacker();
  readonly #written: Promise<void>;
  readonly #digests = new Map<string, string>();
  #bytes = 0;

  constructor(write: WriteBytes) {
    this.#written = writeStream(this.#packer.readable, write);
    // The failure is reported by the next write, or by `finish()`.
    this.#written.catch(() => {});
  }

  has(path: string): boolean {
    return this.#digests.has(path);
  }

  get digests(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#digests);
  }

  get report(): BackupReport {
    return { files: this.#digests.size, bytes: this.#bytes };
  }

  async addText(path: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    const writer = this.#packer.controller.add({ ...this.#header(path), size: bytes.byteLength })
      .getWriter();
    await writer.write(bytes);
    await writer.close();
  }

  /** Adds a file with the given text. */
  async addContent(path: string, text: string): Promise<void> {
    const { byteLength } = new TextEncoder().encode(text);
    await this.addText(path, text);
    this.#digests.set(path, createHash("sha256").update(text).digest("hex"));
    this.#bytes += byteLength;
  }

  /**
   * Adds a file with its current length. Returns false if the file no longer exists. If the file
   * grows in the meantime, the rest is left out; if it is removed, it is still read to its end.
   */
  async addFile(path: string, from: string): Promise<boolean> {
    using source = await Deno.open(from).catch(ifMissing);
    if (source === undefined) return false;
    const { size } = await source.stat();
    const writer = this.#packer.controller.add({ ...this.#header(path), size }).getWriter();
    const hash = createHash("sha256");
    for (let left = size; left > 0;) {
      const piece = new Uint8Array(Math.min(PIECE, left));
      const count = await source.read(piece);
      if (count === null) throw new Error(`${from} became shorter during the backup`);
      const bytes = piece.subarray(0, count);
      hash.update(bytes);
      await writer.write(bytes);
      left -= count;
    }
    await writer.close();
    this.#digests.set(path, hash.digest("hex"));
    this.#bytes += size;
    return true;
  }

  async finish(): Promise<void> {
    this.#packer.controller.finalize();
    await this.#written;
  }

  /** Aborts and returns the first failure. The file then contains a partial archive. */
  async abort(reason: unknown): Promise<unknown> {
    this.#packer.controller.error(reason);
    return await this.#written.then(() => reason, (cause) => cause);
  }

  #header(name: string) {
    return { name, mode: MODE, type: "file" as const, mtime: new Date(0) };
  }
}
