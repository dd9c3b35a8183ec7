/** @module Inspects the folder of embedded databases, even while a platform uses it. */
import { join } from "node:path";
import { BranchFolders, canClone } from "./branch_folder.ts";
import { inspectHistory } from "./history/embedded_history.ts";

export interface FolderFacts {
  readonly branches: readonly string[];
  /**
   * Total size of all branches on disk, in bytes. Data shared by clones is counted more than once.
   */
  readonly sizeBytes: number;
  readonly largestBytes: number;
  /** Whether copies of branches are clones, or `undefined` if there is no branch to check. */
  readonly clones: boolean | undefined;
  /** The history on disk, or `undefined` if there is none. */
  readonly history: { readonly since: number | undefined; readonly bytes: number } | undefined;
}

/** @param folder the folder of all branches */
export async function inspectFolder(folder: string): Promise<FolderFacts> {
  const folders = new BranchFolders(folder);
  const branches = await folders.list();
  const sizes = await Promise.all(branches.map((id) => folders.sizeOf({ id })));
  const first = branches[0];
  return {
    branches,
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    largestBytes: Math.max(0, ...sizes),
    clones: first === undefined
      ? undefined
      : await canClone(join(folders.data(first), "PG_VERSION"), join(folder, ".clone-probe")),
    history: await inspectHistory(folders),
  };
}
