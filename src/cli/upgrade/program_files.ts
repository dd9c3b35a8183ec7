/** @module Files that upgrades leave next to an installed program. */
import { basename, dirname, extname, join } from "node:path";

export interface ProgramFiles {
  readonly program: string;
  /** The program before the last upgrade. */
  readonly previous: string;
  /** The new program while it is being written. */
  readonly incoming: string;
  /** The file with the versions and data formats of `program` and `previous`. */
  readonly record: string;
  readonly lock: string;
}

/**
 * Returns the names of the files for the program at `path`. All are in the program's folder,
 * because renames within a folder are atomic.
 */
export function programFiles(path: string): ProgramFiles {
  const [folder, ending] = [dirname(path), extname(path) === ".exe" ? ".exe" : ""];
  const name = basename(path, ending);
  return {
    program: path,
    previous: join(folder, `${name}.previous${ending}`),
    incoming: join(folder, `.${name}.incoming${ending}`),
    record: join(folder, `.${name}.upgrade.json`),
    lock: join(folder, `.${name}.upgrade.lock`),
  };
}
