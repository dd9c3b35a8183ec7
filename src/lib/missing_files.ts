/** @module Files and folders that may be missing. */

/** For `.catch()`: returns `undefined` for a missing file, and throws other errors. */
export function ifMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Removes a file, or a folder with its contents. */
export async function removeTree(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(ifMissing);
}

/**
 * Returns the entries of a folder, sorted by name. The list is empty if the folder does not exist.
 */
export async function entriesIn(folder: string): Promise<Deno.DirEntry[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ifMissing) ?? [];
  return entries.sort((one, other) => one.name < other.name ? -1 : 1);
}

/** Returns the names in a folder, sorted. The list is empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder)).map(({ name }) => name);
}
