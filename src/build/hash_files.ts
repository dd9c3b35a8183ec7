/** @module Hashes the files of an output. */
import pMap from "p-map";
import { MAX_FILE_BYTES, MAX_FILES } from "../contract/deployment_files.ts";
import { formatBytes } from "../lib/format.ts";
import { sha256Hex, sha256Stream } from "../lib/hash.ts";
import { inTurns, type Steps } from "../lib/next_turn.ts";
import type { OutputFile } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { HashCache, type HashCachePlace } from "./hash_cache.ts";

/** A file to deploy. */
export interface OutputContent {
  /** Path relative to the output, with `/`. */
  readonly path: string;
  /** The absolute path of the file, or its bytes. */
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Size in bytes. */
  readonly size: number;
  /** File information from when the file was listed. */
  readonly info?: Deno.FileInfo;
}

/** Describes a listed file that is deployed unchanged. */
export function contentOf({ path, absolutePath, size, info }: OutputFile): OutputContent {
  return { path, content: absolutePath, size, info };
}

export interface PackedFile extends Omit<OutputContent, "info"> {
  /** SHA-256 of the content, in lowercase hexadecimal. */
  readonly sha256: string;
}

/** Maximum size in bytes of files that are read in one piece. Larger files are streamed. */
const READ_WHOLE = 1024 * 1024;
const CONCURRENCY = 16;
/** Number of files to check before yielding to other tasks. */
const FILES_PER_STEP = 100;

/** Information about a file that has not been read yet. */
interface FileFacts {
  /** The hash of the file, from the cache. */
  readonly packed?: PackedFile;
  /** File information, if the file is on disk and must be hashed. */
  readonly info?: Deno.FileInfo;
}

async function hashContent({ path, content, size }: OutputContent): Promise<PackedFile> {
  if (typeof content !== "string" || size <= READ_WHOLE) {
    const bytes = typeof content === "string" ? await Deno.readFile(content) : content;
    return { path, content, sha256: sha256Hex(bytes), size: bytes.byteLength };
  }
  const file = await Deno.open(content);
  return { path, content, ...await sha256Stream(file.readable) };
}

/**
 * Looks up files without reading them. A synchronous lookup is ten times as fast as an asynchronous
 * one.
 */
function* lookUp(files: readonly OutputContent[], cache: HashCache): Steps<FileFacts[]> {
  const known: FileFacts[] = [];
  for (const { path, content, info: listed } of files) {
    if (known.length % FILES_PER_STEP === FILES_PER_STEP - 1) yield;
    if (typeof content !== "string") {
      known.push({});
      continue;
    }
    const info = listed ?? Deno.statSync(content);
    const sha256 = cache.find(content, info);
    known.push(
      sha256 === undefined ? { info } : { packed: { path, content, sha256, size: info.size } },
    );
  }
  return known;
}

/** Rejects files that the platform would reject, before anything is hashed. */
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
        `${large.path} is ${formatBytes(large.size)}`,
    );
  }
}

/**
 * Returns the SHA-256 and size of every file, in the given order. With a cache, only files that
 * changed since the previous run are read.
 *
 * @throws {BuildError} `output_invalid` if the platform would reject the files
 */
export async function hashFiles(
  files: readonly OutputContent[],
  { signal, cachedAt }: {
    readonly signal: AbortSignal;
    readonly cachedAt?: HashCachePlace | undefined;
  },
): Promise<PackedFile[]> {
  assertWithinLimits(files);
  if (cachedAt === undefined) {
    return await pMap(files, hashContent, { concurrency: CONCURRENCY, signal });
  }
  const cache = await HashCache.open(cachedAt);
  const known = await inTurns(lookUp(files, cache));
  const hashed = await pMap(
    files.flatMap((file, index) => known[index]?.packed === undefined ? [{ file, index }] : []),
    async ({ file, index }) => {
      const packed = await hashContent(file);
      const info = known[index]?.info;
      if (info !== undefined) cache.add(file.content as string, info, packed.sha256);
      return packed;
    },
    { concurrency: CONCURRENCY, signal },
  );
  await cache.save();
  const rest = hashed.values();
  return known.map(({ packed }) => packed ?? rest.next().value!);
}
