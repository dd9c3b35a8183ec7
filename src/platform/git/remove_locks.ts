/**
 * Cleaning a folder of mirrors after a crash.
 *
 * @module
 */
import { join } from "node:path";

/** Names in a folder; none where it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Removes the locks of a killed git; nothing else uses the mirror at this point. */
export async function removeLocks(mirror: string): Promise<void> {
  for (const name of await namesIn(mirror)) {
    const path = join(mirror, name);
    if (name.endsWith(".lock")) await Deno.remove(path);
  }
  await removeLocksBelow(join(mirror, "refs"));
}

async function removeLocksBelow(folder: string): Promise<void> {
  for (const entry of await Array.fromAsync(Deno.readDir(folder)).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) await removeLocksBelow(path);
    else if (entry.name.endsWith(".lock")) await Deno.remove(path);
  }
}
