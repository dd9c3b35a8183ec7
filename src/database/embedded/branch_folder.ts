/** @module The folder of an embedded branch. */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { ifMissing, namesIn, removeTree } from "../../lib/missing_files.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { syncFolder } from "../../lib/sync_folder.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { type Branch, type CopyMethod, EngineError } from "../types.ts";

/**
 * Names of the database and the role in the files of a branch. `role` is null if the database is
 * empty.
 */
export interface BranchNames {
  readonly database: string;
  readonly role: string | null;
}

const NAMES_FILE = "names.json";
const DATA = "data";
const BRANCH_ID = /^[0-9a-f]{16}$/;

/** Names in the files of an empty database. */
export const EMPTY_NAMES: BranchNames = { database: "postgres", role: null };

export class BranchFolders {
  constructor(readonly root: string) {}

  #path(id: string): string {
    return join(this.root, id);
  }

  data(id: string): string {
    return join(this.#path(id), DATA);
  }

  lock(id: string): string {
    return join(this.#path(id), "lock");
  }

  /** Returns the path of the lock that prevents checkpoints during a backup. */
  checkpoints(id: string): string {
    return join(this.#path(id), "checkpoints");
  }

  readonly namesFile = NAMES_FILE;

  namesPath(id: string): string {
    return join(this.#path(id), NAMES_FILE);
  }

  async exists(id: string): Promise<boolean> {
    return await this.names(id) !== undefined;
  }

  /**
   * Returns the names in a branch's files, or `undefined` if the branch is missing or incomplete.
   */
  async names(id: string): Promise<BranchNames | undefined> {
    const text = await readTextFile(this.namesPath(id)).catch(ifMissing);
    return text === undefined ? undefined : JSON.parse(text) as BranchNames;
  }

  /** Stores the names. A folder without them counts as incomplete. */
  async note(id: string, { database, role }: BranchNames): Promise<void> {
    const path = this.namesPath(id);
    await writeFileAtomically(path, JSON.stringify({ database, role }));
    await syncFolder(this.root);
  }

  /** Creates a folder without names, and copies the files of another branch into it. */
  copy(from: string, to: string): Promise<CopyMethod> {
    return this.copyFrom(this.data(from), to);
  }

  /**
   * Creates a folder without names, and copies PostgreSQL's files from any other folder into it.
   */
  async copyFrom(folder: string, to: string): Promise<CopyMethod> {
    await this.remove(to);
    await Deno.mkdir(this.#path(to), { recursive: true, mode: 0o700 });
    return await copyFolder(folder, this.data(to));
  }

  async make(id: string): Promise<void> {
    await this.remove(id);
    await Deno.mkdir(this.data(id), { recursive: true, mode: 0o700 });
  }

  /** Waits until a process of a killed platform has released the files. */
  async untilUnused(id: string): Promise<void> {
    using lock = await Deno.open(this.lock(id), { write: true }).catch(ifMissing);
    await lock?.lock(true);
  }

  async remove(id: string): Promise<void> {
    await Deno.remove(this.namesPath(id)).catch(() => {});
    await removeTree(this.#path(id));
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.root)).filter((name) => BRANCH_ID.test(name));
  }

  /** Returns the size on disk, in bytes. */
  async sizeOf({ id }: Pick<Branch, "id">): Promise<number> {
    return await folderSize(this.data(id));
  }
}

async function folderSize(path: string): Promise<number> {
  let size = 0;
  try {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      const inner = join(path, name);
      if (isDirectory) size += await folderSize(inner);
      else size += (await Deno.lstat(inner).catch(() => undefined))?.size ?? 0;
    }
  } catch (error) {
    // PostgreSQL may remove files while they are being counted.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return size;
}

const CLONE: Readonly<Record<string, readonly string[]>> = {
  linux: ["-R", "-p", "--reflink=always"],
  darwin: ["-R", "-p", "-c"],
};

/** Runs `cp` and returns its error, or `undefined` after success. @throws {NoProgramError} */
async function run(args: readonly string[]): Promise<string | undefined> {
  try {
    const { code, stderr } = await runProgram("cp", {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
    return code === 0 ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) throw new NoProgramError(cause.message, { cause });
    throw cause;
  }
}

/** The machine has no `cp`, for example because it is a container without a shell. */
class NoProgramError extends Error {
  override readonly name = "NoProgramError";
}

/** Copies a folder without an external program. Files keep their permissions. */
async function copyPlainly(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    await (isDirectory ? copyPlainly(source, target) : Deno.copyFile(source, target));
  }
}

/** Returns a message if `cp` is missing, because files can then be copied but not cloned. */
function orNoProgram(error: unknown): string {
  if (error instanceof NoProgramError) return error.message;
  throw error;
}

/** Returns whether the file system can clone a file. The clone is removed afterwards. */
export async function canClone(file: string, probe: string): Promise<boolean> {
  const clone = CLONE[Deno.build.os];
  const isCloned = clone !== undefined &&
    await run([...clone, file, probe]).catch(orNoProgram) === undefined;
  await Deno.remove(probe).catch(() => {});
  return isCloned;
}

/** Copies a folder by cloning if the file system supports it, otherwise byte by byte. */
async function copyFolder(from: string, to: string): Promise<CopyMethod> {
  // A clone of one small file shows whether the other files can be cloned.
  const clone = await canClone(join(from, "PG_VERSION"), `${to}.probe`)
    ? CLONE[Deno.build.os]
    : undefined;
  try {
    const problem = await run([...(clone ?? ["-R", "-p"]), from, to]);
    if (problem !== undefined) throw copyError(problem);
  } catch (error) {
    if (!(error instanceof NoProgramError)) throw error;
    await copyPlainly(from, to);
  }
  return clone === undefined ? "copy" : "clone";
}

/**
 * Creates the error for a failed copy. `cp` writes its errors in the machine's language, so they go
 * to the log. Users only learn whether the disk is full.
 */
function copyError(problem: string): Error {
  return /No space left|Disk quota/.test(problem)
    ? new EngineError("Cannot copy the database: the disk is full", "53100")
    : new Error(`Cannot copy the database: ${problem}`);
}
