/**
 * @module Finds symbolic links that point outside a deployment's folder. If the kernel cannot
 * restrict file access, a server with such a link is not started.
 */
import { join } from "node:path";

/**
 * Returns the path of the first link in or below the folder that points outside it; `undefined` if
 * there is none.
 */
export function findEscapingLink(folder: string): string | undefined {
  const root = Deno.realPathSync(folder);
  const waiting = [root];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(at)) {
      const path = join(at, name);
      if (isDirectory) waiting.push(path);
      else if (isSymlink && !leadsInto(path, root)) return path;
    }
  }
  return undefined;
}

function leadsInto(path: string, root: string): boolean {
  try {
    return Deno.realPathSync(path).startsWith(join(root, "/"));
  } catch {
    return false;
  }
}
