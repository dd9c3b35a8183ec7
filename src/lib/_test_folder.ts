/** @module Temporary folders for tests. */

const made: string[] = [];

// Dispatched after all tests in a file, even if some failed.
addEventListener("unload", () => {
  for (const folder of made) {
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
});

/** Creates a folder, and removes it after the file's tests if it still exists. */
export async function makeTestFolder(prefix: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix });
  made.push(folder);
  return folder;
}

/** Runs a test with the real path of a new folder, and removes the folder afterwards. */
export async function inTestFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-test-" }));
  try {
    return await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
