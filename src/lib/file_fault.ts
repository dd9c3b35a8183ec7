/**
 * @module Describes the problem with a file or folder. The system's own messages end in numbers
 * ("os error 13") and give no advice.
 */
import { dirname, join } from "node:path";
import { ifMissing } from "./missing_files.ts";

/**
 * Returns the system's code for an error, such as `EACCES`, or `undefined` for other kinds of
 * errors.
 */
function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  ENOENT: "it does not exist",
  ENAMETOOLONG: "its path is too long",
  ELOOP: "its path has too many symbolic links",
  EIO: "the disk reports an error",
};

const REASONS_OF_CLASSES: readonly (readonly [new () => Error, string])[] = [
  [Deno.errors.PermissionDenied, REASONS.EACCES!],
  [Deno.errors.NotADirectory, REASONS.ENOTDIR!],
  [Deno.errors.IsADirectory, REASONS.EISDIR!],
  [Deno.errors.NotFound, REASONS.ENOENT!],
  [Deno.errors.FilesystemLoop, REASONS.ELOOP!],
];

/** Returns the reason why a file could not be used, as the end of a sentence. */
export function describeFileFault(error: unknown): string {
  const known = REASONS[codeOf(error) ?? ""] ??
    REASONS_OF_CLASSES.find(([type]) => error instanceof type)?.[1];
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error \d+\)/g, "").replace(/: \w+ '.*'$/s, "").toLowerCase();
}

/** Returns true for a system error that is about a file. */
export function isFileFault(error: unknown): error is Error {
  return error instanceof Error && / \(os error \d+\)/.test(error.message);
}

/** Adds the file's path, which the system omits for writes to an open file. */
export function withPath(error: unknown, path: string): unknown {
  if (isFileFault(error) && !error.message.includes("'")) error.message += `: write '${path}'`;
  return error;
}

/** A fault that prevents a file from being written. */
export interface WriteFault {
  /** The file or folder that is at fault. */
  readonly path: string;
  readonly reason: string;
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = dirname(path);; folder = dirname(folder)) {
    try {
      await Deno.lstat(folder);
      return folder;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || dirname(folder) === folder) throw error;
    }
  }
}

async function probe(folder: string): Promise<void> {
  const path = join(folder, `.svc-${crypto.randomUUID()}.tmp`);
  (await Deno.open(path, { write: true, createNew: true })).close();
  await Deno.remove(path);
}

/**
 * Checks whether a file could be written under a temporary name and renamed, and returns the fault,
 * if any. Writes and removes a test file, because permissions alone do not reveal read-only file
 * systems and full disks.
 */
export async function findWriteFault(path: string): Promise<WriteFault | undefined> {
  let at = path;
  try {
    const info = await Deno.stat(path).catch(ifMissing);
    if (info?.isDirectory) return { path, reason: REASONS.EISDIR! };
    at = await nearestFolder(path);
    await probe(at);
    return undefined;
  } catch (error) {
    return { path: at, reason: describeFileFault(error) };
  }
}
