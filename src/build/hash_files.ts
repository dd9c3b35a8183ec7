/**
 * Hashing the files of an output.
 *
 * @module
 */
import pMap from "p-map";
import { MAX_FILE_BYTES, MAX_FILES } from "../contract/mod.ts";
import { formatBytes } from "../lib/format.ts";
import { sha256Hex, sha256Stream } from "../lib/hash.ts";
import { BuildError } from "./build_error.ts";

/** A file as it is to be deployed. */
export interface OutputContent {
  /** Relative to the output, with `/`. */
  readonly path: string;
  /** Where it lies, as an absolute path, or what it holds. */
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Bytes. */
  readonly size: number;
}

export interface PackedFile extends OutputContent {
  /** Of the content, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** Files up to this size are read whole, in bytes; larger ones are streamed. */
const READ_WHOLE = 1024 * 1024;
const CONCURRENCY = 16;

async function hashFile({ path, content, size }: OutputContent): Promise<PackedFile> {
  if (typeof content !== "string" || size <= READ_WHOLE) {
    const bytes = typeof content === "string" ? await Deno.readFile(content) : content;
    return { path, content, sha256: sha256Hex(bytes), size: bytes.byteLength };
  }
  const file = await Deno.open(content);
  return { path, content, ...await sha256Stream(file.readable) };
}

/** Refuses what the platform would refuse, before anything is hashed. */
function assertWithinLimits(files: readonly OutputContent[]): void {
  if (files.length > MAX_FILES) {
    throw new BuildError(
      "output_invalid",
      `Deploy at most ${MAX_FILES} files: the output has ${files.length}`,
    );
  }
  const large = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (large !== undefined) {
    throw new BuildError(
      "output_invalid",
      `Deploy files of at most ${formatBytes(MAX_FILE_BYTES)}: ` +
        `${large.path} has ${formatBytes(large.size)}`,
    );
  }
}

/** The SHA-256 and size of every file, in the given order; several at a time. */
export async function hashFiles(
  files: readonly OutputContent[],
  signal: AbortSignal,
): Promise<PackedFile[]> {
  assertWithinLimits(files);
  return await pMap(files, hashFile, { concurrency: CONCURRENCY, signal });
}
