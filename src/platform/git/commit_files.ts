/**
 * The files of a commit that a mirror holds.
 *
 * @module
 */
import type { CommitFiles } from "./git_service.ts";
import type { MirrorGit } from "./inspect_commit.ts";

/** Most files of a commit that are listed, and the largest that is read, in bytes. */
const MAX_LISTED_FILES = 50_000;
const MAX_READ_BYTES = 1024 * 1024;

/** `100644 blob 8f14… 1304<tab>path`; links and submodules are no files here. */
const FILE = /^100\d+ blob ([0-9a-f]+) +(\d+)\t(.+)$/s;

/** Lists the files of a commit, for texts of them to be read; `undefined` if it is not there. */
export async function readCommitFiles(
  git: MirrorGit,
  sha: string,
): Promise<CommitFiles | undefined> {
  const { code, stdout } = await git(["ls-tree", "-r", "-z", "-l", "--full-tree", sha]);
  if (code !== 0) return undefined;
  const blobs = new Map<string, string>();
  for (const line of stdout.split("\0")) {
    const [, id, size, path] = FILE.exec(line) ?? [];
    if (id === undefined || path === undefined) continue;
    blobs.set(path, Number(size) <= MAX_READ_BYTES ? id : "");
    if (blobs.size === MAX_LISTED_FILES) break;
  }
  return {
    paths: [...blobs.keys()],
    async readText(path) {
      const id = blobs.get(path) || undefined;
      if (id === undefined) return undefined;
      const blob = await git(["cat-file", "blob", id]);
      return blob.code === 0 ? blob.stdout : undefined;
    },
  };
}
