/**
 * Blobs in a folder: `<root>/<workspace>/<first two digits>/<sha256>`. A blob
 * is written beside its place, flushed, then renamed, so that a file with a
 * blob's name always has the blob's content.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isSha256, sha256Hex, sha256Stream } from "../../lib/hash.ts";
import { isUuid } from "../../lib/ids.ts";
import {
  BlobDamagedError,
  BlobMismatchError,
  type BlobStore,
  BlobTooLargeError,
  type BlobVault,
  type ByteRange,
} from "./blob_store.ts";

/** Folder for writes under way; emptied at start. */
const INCOMING = "incoming";

/** Size of the pieces in which a file is streamed, in bytes. */
const CHUNK_BYTES = 64 * 1024;

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength;) {
    offset += await file.write(bytes.subarray(offset));
  }
}

function fileStream(file: Deno.FsFile, length: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = length;
  return new ReadableStream({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left));
      const count = left === 0 ? null : await file.read(chunk);
      if (count === null) {
        file.close();
        if (left > 0) controller.error(new BlobDamagedError("Blob ended early"));
        else controller.close();
        return;
      }
      left -= count;
      controller.enqueue(chunk.subarray(0, count));
    },
    cancel: () => file.close(),
  }, { highWaterMark: 1 });
}

class WorkspaceBlobs implements BlobStore {
  private readonly folders = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly incoming: string,
    private readonly onUse: (sha256: string) => void,
  ) {}

  private path(sha256: string): string {
    if (!isSha256(sha256)) throw new TypeError(`Not a SHA-256: ${sha256}`);
    return join(this.root, sha256.slice(0, 2), sha256);
  }

  /** Hands a fresh file to `write` and moves it to its place when that succeeds. */
  private async store(
    sha256: string,
    write: (file: Deno.FsFile) => Promise<void>,
  ): Promise<void> {
    const target = this.path(sha256);
    this.onUse(sha256);
    const temporary = join(this.incoming, crypto.randomUUID());
    try {
      const file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
      try {
        await write(file);
        await file.sync();
      } finally {
        file.close();
      }
      await this.ensureFolder(sha256.slice(0, 2));
      await Deno.rename(temporary, target);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  }

  private async ensureFolder(name: string): Promise<void> {
    if (this.folders.has(name)) return;
    await Deno.mkdir(join(this.root, name), { recursive: true, mode: 0o700 });
    this.folders.add(name);
  }

  async put(sha256: string, content: Uint8Array): Promise<void> {
    const actual = sha256Hex(content);
    if (actual !== sha256) throw new BlobMismatchError(sha256, actual);
    await this.store(sha256, (file) => writeAll(file, content));
  }

  async putStream(
    sha256: string,
    content: ReadableStream<Uint8Array>,
    options: { readonly maxBytes: number },
  ): Promise<void> {
    await this.store(sha256, async (file) => {
      const hash = createHash("sha256");
      let size = 0;
      for await (const chunk of content) {
        size += chunk.byteLength;
        if (size > options.maxBytes) {
          throw new BlobTooLargeError(
            `Blob ${sha256} was refused: it has over ${options.maxBytes} bytes`,
          );
        }
        hash.update(chunk);
        await writeAll(file, chunk);
      }
      const actual = hash.digest("hex");
      if (actual !== sha256) throw new BlobMismatchError(sha256, actual);
    });
  }

  async size(sha256: string): Promise<number | undefined> {
    this.onUse(sha256);
    try {
      return (await Deno.stat(this.path(sha256))).size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  async read(sha256: string): Promise<Uint8Array<ArrayBuffer>> {
    let content: Uint8Array<ArrayBuffer>;
    try {
      content = await Deno.readFile(this.path(sha256));
    } catch (cause) {
      throw new BlobDamagedError(`Can not read blob ${sha256}`, { cause });
    }
    if (sha256Hex(content) !== sha256) {
      throw new BlobDamagedError(`Blob ${sha256} changed on disk`);
    }
    return content;
  }

  async stream(
    sha256: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    let file: Deno.FsFile;
    try {
      file = await Deno.open(this.path(sha256));
    } catch (cause) {
      throw new BlobDamagedError(`Can not read blob ${sha256}`, { cause });
    }
    const start = range?.start ?? 0;
    const end = range?.end ?? (await file.stat()).size - 1;
    if (start > 0) await file.seek(start, Deno.SeekMode.Start);
    return fileStream(file, end - start + 1);
  }

  async link(sha256: string, path: string): Promise<void> {
    this.onUse(sha256);
    const actual = await sha256Stream(await this.stream(sha256));
    if (actual.sha256 !== sha256) throw new BlobDamagedError(`Blob ${sha256} changed on disk`);
    const source = this.path(sha256);
    // Another file system, one without links, or too many of them.
    await Deno.link(source, path).catch(() => Deno.copyFile(source, path));
  }
}

/** Makes an empty folder for writes under way, and returns its path. */
async function prepareIncoming(root: string): Promise<string> {
  const incoming = join(root, INCOMING);
  try {
    await Deno.remove(incoming, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
    await Deno.mkdir(incoming, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Can not use the folder of blobs ${root}: ${reason}`, { cause });
  }
  return incoming;
}

/**
 * Opens the blob folder and removes writes that a crash left unfinished.
 *
 * @throws {TypeError} when the folder can not be written.
 */
export async function openFsBlobVault(root: string): Promise<BlobVault> {
  const incoming = await prepareIncoming(root);
  const stores = new Map<string, BlobStore>();
  let usedDuringSweep: Set<string> | undefined;
  return {
    of(workspaceId) {
      if (!isUuid(workspaceId)) throw new TypeError(`Not a workspace id: ${workspaceId}`);
      let store = stores.get(workspaceId);
      if (store === undefined) {
        store = new WorkspaceBlobs(
          join(root, workspaceId),
          incoming,
          (sha256) => usedDuringSweep?.add(`${workspaceId}/${sha256}`),
        );
        stores.set(workspaceId, store);
      }
      return store;
    },
    async sweep({ mark, minAgeMs, now }) {
      usedDuringSweep = new Set();
      let removed = 0;
      try {
        const isNeeded = await mark();
        for await (const blob of listBlobs(root)) {
          if (isNeeded(blob.workspaceId, blob.sha256)) continue;
          const written = (await Deno.stat(blob.path)).mtime?.getTime() ?? now;
          if (now - written < minAgeMs) continue;
          if (usedDuringSweep.has(`${blob.workspaceId}/${blob.sha256}`)) continue;
          Deno.removeSync(blob.path);
          removed++;
        }
      } finally {
        usedDuringSweep = undefined;
      }
      return removed;
    },
  };
}

async function* listBlobs(
  root: string,
): AsyncGenerator<{ workspaceId: string; sha256: string; path: string }> {
  for await (const workspace of Deno.readDir(root)) {
    if (!isUuid(workspace.name)) continue;
    for await (const folder of Deno.readDir(join(root, workspace.name))) {
      for await (const blob of Deno.readDir(join(root, workspace.name, folder.name))) {
        yield {
          workspaceId: workspace.name,
          sha256: blob.name,
          path: join(root, workspace.name, folder.name, blob.name),
        };
      }
    }
  }
}
