/** @module Downloads a release's program. Unpacks and verifies it while writing it to disk. */
import { createHash } from "node:crypto";
import { writeAll } from "../lib/atomic_file.ts";
import { fetchChunks, type Source } from "./fetch_bytes.ts";
import type { ReleaseProgram } from "./manifest.ts";
import { fileUrl } from "./place.ts";
import { ReleaseError } from "./release_error.ts";

export interface Download extends Source {
  readonly place: string;
  readonly version: string;
  /** Called with the number of bytes received since the last call. */
  readonly onBytes: (count: number) => void;
}

/** Passes bytes on, and checks that they are the expected ones. */
class Meter {
  readonly #hash = createHash("sha256");
  #size = 0;

  constructor(
    readonly name: string,
    readonly expected: { readonly size: number; readonly sha256: string },
  ) {}

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.expected.size) throw this.#different("it is larger than its signed size");
    this.#hash.update(chunk);
  }

  end(): void {
    if (this.#size < this.expected.size) {
      throw this.#different("it is smaller than its signed size");
    }
    if (this.#hash.digest("hex") !== this.expected.sha256) {
      throw this.#different("its SHA-256 is not the signed one");
    }
  }

  #different(reason: string): ReleaseError {
    return new ReleaseError(`Cannot trust ${this.name}: ${reason}`, {
      hint:
        "Nothing was installed. The file was changed in transit: try again, or use another network",
    });
  }
}

/**
 * Writes the unpacked program to `file` and flushes it to disk.
 *
 * @throws {ReleaseError} if the connection breaks, or the content differs from the signed content.
 * In that case, `file` contains incomplete data that must not be used.
 */
export async function downloadProgram(
  program: ReleaseProgram,
  file: Deno.FsFile,
  download: Download,
): Promise<void> {
  const url = fileUrl(download.place, download.version, program.file);
  const packed = new Meter(url, program);
  const unpacked = new Meter(`the program in ${url}`, program.program);
  let failure: unknown;
  const received = async function* () {
    try {
      for await (const chunk of fetchChunks(url, download)) {
        packed.add(chunk);
        download.onBytes(chunk.byteLength);
        yield chunk as Uint8Array<ArrayBuffer>;
      }
      packed.end();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const stream = ReadableStream.from(received()).pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await readPart(reader, () => failure, url);
      if (done) break;
      unpacked.add(value);
      await writeAll(file, value);
    }
    unpacked.end();
    await file.sync();
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Reads a part of the unpacked program. If the download fails, reports that failure instead of the
 * resulting failure to unpack.
 */
async function readPart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  failure: () => unknown,
  url: string,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    if (failure() !== undefined) throw failure();
    throw new ReleaseError(`Cannot trust ${url}: it cannot be unpacked`, {
      hint:
        "Nothing was installed. The file was changed in transit: try again, or use another network",
      cause,
    });
  }
}
