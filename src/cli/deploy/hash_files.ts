/**
 * Hashing the files of an output.
 *
 * @module
 */
import pMap from "p-map";
import { type DeploymentFile, MAX_FILE_BYTES, MAX_FILES } from "../../contract/mod.ts";
import { sha256Hex, sha256Stream } from "../../lib/hash.ts";
import type { OutputFile } from "../../manifest/mod.ts";
import { CliError } from "../cli_error.ts";
import { formatBytes } from "../format.ts";

export interface HashedFile extends DeploymentFile {
  readonly absolutePath: string;
}

/** Files up to this size are read whole, in bytes; larger ones are streamed. */
const READ_WHOLE = 1024 * 1024;
const CONCURRENCY = 16;

async function hashFile({ path, absolutePath, size }: OutputFile): Promise<HashedFile> {
  if (size <= READ_WHOLE) {
    const bytes = await Deno.readFile(absolutePath);
    return { path, absolutePath, sha256: sha256Hex(bytes), size: bytes.byteLength };
  }
  const file = await Deno.open(absolutePath);
  return { path, absolutePath, ...await sha256Stream(file.readable) };
}

/** Refuses what the platform would refuse, before anything is hashed. */
function assertWithinLimits(files: readonly OutputFile[]): void {
  if (files.length > MAX_FILES) {
    throw new CliError(
      "output_invalid",
      `Deploy at most ${MAX_FILES} files: the output has ${files.length}`,
    );
  }
  const large = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (large !== undefined) {
    throw new CliError(
      "output_invalid",
      `Deploy files of at most ${formatBytes(MAX_FILE_BYTES)}: ` +
        `${large.path} has ${formatBytes(large.size)}`,
    );
  }
}

/** The SHA-256 and size of every file, in the given order; several at a time. */
export async function hashFiles(
  files: readonly OutputFile[],
  signal: AbortSignal,
): Promise<HashedFile[]> {
  assertWithinLimits(files);
  return await pMap(files, hashFile, { concurrency: CONCURRENCY, signal });
}
