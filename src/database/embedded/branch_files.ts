/**
 * @module Reads the files of a branch for a backup, even while the branch's process is writing
 * them. PostgreSQL replays its log from the last checkpoint. A copy is therefore consistent under
 * three conditions: no checkpoint happens in the meantime, the file that says where the replay
 * starts is read first, and the log is read last.
 */
import { join } from "node:path";
import { ifMissing } from "../../lib/missing_files.ts";
import { BranchFolders } from "./branch_folder.ts";
import { CONTROL_FILE, firstNeeded, LOG_FOLDER } from "./history/log_position.ts";

const LOG = `${LOG_FOLDER}/`;

/** Files that every process recreates, or that are useless to another process. */
const PASSING = /(?:^|\/)(?:postmaster\.(?:pid|opts)|pg_internal\.init|pgsql_tmp.*|pg_stat_tmp)$/;

interface BranchFile {
  /** Path below the branch's folder, with forward slashes. */
  readonly path: string;
  /** Path on this machine. */
  readonly from: string;
}

interface BranchFiles {
  /** Paths below the branch's folder. PostgreSQL needs even the empty folders. */
  readonly folders: readonly string[];
  /** Must be read in this order. */
  readonly files: readonly BranchFile[];
}

/**
 * Lists folders and files below a folder by their relative paths, except those that only a running
 * process needs.
 */
export async function listBelow(
  root: string,
  prefix = "",
): Promise<{ folders: string[]; files: string[] }> {
  const found = { folders: [] as string[], files: [] as string[] };
  for (const { name, isDirectory } of await Array.fromAsync(Deno.readDir(join(root, prefix)))) {
    const path = `${prefix}${name}`;
    if (PASSING.test(path)) {
      if (isDirectory) found.folders.push(path);
      continue;
    }
    if (!isDirectory) {
      found.files.push(path);
      continue;
    }
    found.folders.push(path);
    const below = await listBelow(root, `${path}/`);
    found.folders.push(...below.folders);
    found.files.push(...below.files);
  }
  return found;
}

/**
 * Runs `work` while the branch neither creates a checkpoint nor starts.
 *
 * @returns `undefined`, without running `work`, if the branch does not exist
 */
export async function withoutCheckpoint<T>(
  { folders, id }: { readonly folders: BranchFolders; readonly id: string },
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (!await folders.exists(id)) return undefined;
  const guard = await openGuard(folders.checkpoints(id));
  if (guard === undefined) return undefined;
  using _held = guard;
  await guard.lock(true);
  return await work();
}

async function openGuard(path: string): Promise<Deno.FsFile | undefined> {
  return await Deno.open(path, { create: true, write: true }).catch(ifMissing);
}

/**
 * Passes the files of a branch to `take`. A listed file may be shorter or missing by the time it is
 * read. The replay repeats such changes.
 *
 * Until `take` has finished, the branch neither creates a checkpoint nor starts.
 *
 * @param folder the folder of all branches
 * @param take must read the files in the order given; the log is listed last
 * @returns false if there is no such branch
 */
export async function withBranchFiles(
  { folder, id }: { readonly folder: string; readonly id: string },
  take: (part: BranchFiles) => Promise<void>,
): Promise<boolean> {
  const branches = new BranchFolders(folder);
  const data = branches.data(id);
  const isThere = await withoutCheckpoint({ folders: branches, id }, async () => {
    const all = await listBelow(data);
    const file = (path: string): BranchFile => ({ path: `data/${path}`, from: join(data, path) });
    const pages = all.files.filter((path) => !path.startsWith(LOG) && path !== CONTROL_FILE);
    await take({
      folders: ["data", ...all.folders.map((path) => `data/${path}`)],
      files: [
        { path: branches.namesFile, from: branches.namesPath(id) },
        ...[CONTROL_FILE, ...pages].map(file),
      ],
    });
    // The log grew while the pages were being read. Older segments are part of the history.
    const first = `${LOG}${await firstNeeded(data)}`;
    const log = (await listBelow(data, LOG)).files.filter((path) => path >= first).sort();
    await take({ folders: [], files: log.map(file) });
    return true;
  });
  return isThere === true && await branches.exists(id);
}
