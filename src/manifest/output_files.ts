/** @module The files of an output, for validation. */
import type { OutputFiles } from "./types.ts";

/**
 * The files of an output, by relative path with `/` as separator. A folder exists if it contains a
 * file at any depth. `.` always exists.
 */
export class OutputFileSet implements OutputFiles {
  readonly #files = new Set<string>();
  readonly #directories = new Set<string>(["."]);

  add(path: string): void {
    this.#files.add(path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (this.#directories.has(directory)) break;
      this.#directories.add(directory);
    }
  }

  hasFile(path: string): boolean {
    return this.#files.has(path);
  }

  hasDirectory(path: string): boolean {
    return this.#directories.has(path);
  }
}

/** Creates a lookup from the paths in a walked folder or an upload. */
export function outputFilesOf(paths: Iterable<string>): OutputFiles {
  const files = new OutputFileSet();
  for (const path of paths) files.add(path);
  return files;
}
