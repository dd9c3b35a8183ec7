/** @module Finds a PostgreSQL installation on the machine. */
import { join } from "node:path";
import { runProgram } from "../../../lib/spawn_program.ts";

export interface PostgresPrograms {
  /** Folder of `postgres`, `initdb`, `pg_ctl` and `pg_dump`. */
  readonly folder: string;
  readonly major: number;
  /** Such as `15.18`. */
  readonly version: string;
}

/** Folders that contain one folder per version, which has the programs in `bin`. */
const VERSIONED: readonly string[] = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"];
const VERSION_FOLDER = /^(?:postgresql@)?\d+$/;

/**
 * Lists the installed versions, newest first.
 *
 * @param path a list of folders, as in the variable `PATH`
 */
export async function findPostgres(path: string): Promise<readonly PostgresPrograms[]> {
  const folders = new Set([
    ...versionedFolders(),
    ...path.split(":").filter((part) => part !== ""),
  ]);
  const found = await Promise.all([...folders].map(readPrograms));
  return found.filter((programs) => programs !== undefined)
    .sort((a, b) => b.major - a.major);
}

function versionedFolders(): readonly string[] {
  return VERSIONED.flatMap((folder) =>
    names(folder).filter((name) => VERSION_FOLDER.test(name))
      .map((name) => join(folder, name, "bin"))
  );
}

function names(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

async function readPrograms(folder: string): Promise<PostgresPrograms | undefined> {
  try {
    for (const name of ["initdb", "pg_ctl", "postgres"]) await Deno.stat(join(folder, name));
    const { stdout } = await runProgram(join(folder, "postgres"), {
      args: ["--version"],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    const version = /(\d+)[\w.]*/.exec(new TextDecoder().decode(stdout));
    if (version === null) return undefined;
    return { folder, major: Number(version[1]), version: version[0] };
  } catch {
    return undefined;
  }
}
