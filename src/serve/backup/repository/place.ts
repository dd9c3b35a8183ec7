/**
 * A location that stores backups as named objects, and an implementation that uses a folder.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { writeFileAtomically } from "../../../lib/atomic_file.ts";
import { describeFileFault, isFileFault } from "../../../lib/file_fault.ts";
import { entriesIn, ifMissing } from "../../../lib/missing_files.ts";
import { BackupError } from "../backup_layout.ts";

export interface Place {
  /** The location as shown to people, without secrets. */
  readonly name: string;
  /** Stores an object atomically, even if the power fails. */
  put(key: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Returns an object's content, or `undefined` if the object is missing. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  remove(key: string): Promise<void>;
  /**
   * Lists the keys below a folder. The folder's name must end with a slash. Includes files that a
   * crash has left unfinished.
   */
  list(folder: string): AsyncIterable<string>;
  close(): void;
}

async function* filesBelow(root: string, folder: string): AsyncGenerator<string> {
  for (const { name, isDirectory, isFile } of await entriesIn(join(root, folder))) {
    if (isDirectory) yield* filesBelow(root, `${folder}${name}/`);
    else if (isFile) yield `${folder}${name}`;
  }
}

function unusable(root: string, cause: unknown): unknown {
  if (!isFileFault(cause)) return cause;
  const isFull = /ENOSPC|EDQUOT/.test(String((cause as { code?: unknown }).code));
  return new BackupError(
    `Cannot use ${root} for backups: ${describeFileFault(cause)}`,
    isFull
      ? "Free some space, or keep fewer backups with --keep. Complete backups there are not affected"
      : "Check that the folder is mounted, and that the platform's user can write to it",
    { cause },
  );
}

/**
 * Checks that the parent folder exists. If it is missing, it may be an unmounted disk, so it is not
 * silently recreated.
 */
async function requireFolder(root: string): Promise<void> {
  const parent = dirname(root);
  const isThere = await Deno.stat(parent).then(({ isDirectory }) => isDirectory, () => false);
  if (!isThere) {
    throw new BackupError(
      `Cannot use ${root} for backups: there is no folder ${parent}`,
      "Mount the disk, create the folder, or choose another one",
    );
  }
}

export async function openFolder(root: string): Promise<Place> {
  await requireFolder(root);
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw unusable(root, error);
    }
  };
  let device: number | undefined;
  /**
   * Checks that the folder is still on the same disk. If a disk is not mounted, its mount point can
   * contain another folder with the same name.
   */
  const requireSameDisk = async () => {
    if (device === undefined) {
      await Deno.mkdir(root, { mode: 0o700 }).catch((error) => {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      });
    }
    const found = await Deno.stat(root).catch(ifMissing);
    device ??= found?.dev;
    if (found !== undefined && found.dev === device) return;
    throw new BackupError(
      `Cannot use ${root} for backups: it was removed or unmounted during the backup`,
      "Mount the disk again. The next backup continues where this one stopped",
    );
  };
  return {
    name: root,
    async put(key, content) {
      await explained(requireSameDisk());
      await explained(writeFileAtomically(join(root, key), content, { mode: 0o600 }));
    },
    get: (key) => explained(Deno.readFile(join(root, key)).catch(ifMissing)),
    remove: (key) => explained(Deno.remove(join(root, key)).catch(ifMissing)),
    list: (folder) => filesBelow(root, folder),
    close() {},
  };
}
