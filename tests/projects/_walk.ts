/** @module Lists the files in a folder. */
import { join } from "node:path";

/**
 * Returns the relative paths of all regular files in a folder and its subfolders, separated by `/`.
 */
export async function walk(root: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(join(root, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) found.push(...await walk(root, path));
    else if (isFile) found.push(path);
  }
  return found;
}
