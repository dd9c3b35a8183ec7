/** @module Measures the disk usage of a folder for temporary files. */
import { join } from "node:path";

const DELETED = " (deleted)";

/** Disk space counted for each file, in addition to its bytes. */
const BYTES_PER_FILE = 4096;

/**
 * Returns the size of all files below a folder, including deleted files that a process still has
 * open.
 */
export function temporaryBytes(folder: string, pid: number): number {
  return bytesBelow(folder) + deletedBytes(folder, pid);
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    try {
      for (const { name, isDirectory } of Deno.readDirSync(at)) {
        const path = join(at, name);
        if (isDirectory) waiting.push(path);
        bytes += BYTES_PER_FILE + sizeOf(() => Deno.lstatSync(path));
      }
    } catch { /* it was removed in the meantime */ }
  }
  return bytes;
}

function deletedBytes(folder: string, pid: number): number {
  let bytes = 0;
  const descriptors = `/proc/${pid}/fd`;
  try {
    for (const { name } of Deno.readDirSync(descriptors)) {
      const path = join(descriptors, name);
      const target = linkOf(path);
      if (target.startsWith(join(folder, "/")) && target.endsWith(DELETED)) {
        bytes += sizeOf(() => Deno.statSync(path));
      }
    }
  } catch { /* the process has exited */ }
  return bytes;
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return "";
  }
}

function sizeOf(look: () => Deno.FileInfo): number {
  try {
    return look().size;
  } catch {
    return 0;
  }
}
