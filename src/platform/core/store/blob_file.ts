/** The file of one blob, open for reading. @module */
import { BlobDamagedError, type BlobFile, type ByteRange } from "./blob_store.ts";

/** Size of the chunks in which part of a file is streamed, in bytes. */
const CHUNK_BYTES = 64 * 1024;

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (cause) {
    throw new BlobDamagedError(`Cannot read blob ${path}`, { cause });
  }
}

/** Reads `length` bytes from the file's current position. The stream closes the file. */
function bytesOf(file: Deno.FsFile, length: number): ReadableStream<Uint8Array<ArrayBuffer>> {
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

export async function streamFile(
  path: string,
  range: ByteRange | undefined,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const file = await openFile(path);
  const start = range?.start ?? 0;
  const end = range?.end ?? (await file.stat()).size - 1;
  if (start > 0) await file.seek(start, Deno.SeekMode.Start);
  return bytesOf(file, end - start + 1);
}

/** Opens a file as a stream that the runtime can send without calling JavaScript for each piece. */
export async function openBlobFile(path: string): Promise<BlobFile> {
  const file = await openFile(path);
  const { size, mtime, ctime, ino, dev } = await file.stat();
  return {
    fingerprint: [size, mtime?.getTime(), ctime?.getTime(), ino, dev].join(" "),
    stream: file.readable,
  };
}
