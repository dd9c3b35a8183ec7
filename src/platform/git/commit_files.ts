/** Reads the files in a commit from a mirror. @module */
import { dirname, join } from "node:path/posix";
import type { CommitFiles } from "./git_service.ts";
import type { MirrorGit } from "./inspect_commit.ts";

const MAX_LISTED_FILES = 50_000;
const MAX_READ_BYTES = 1024 * 1024;

/**
 * Matches an entry such as `100644 blob 8f14… 1304<tab>path`. Submodules do not count as files
 * here.
 */
const ENTRY = /^(100\d+|120000) blob ([0-9a-f]+) +(\d+)\t(.+)$/s;
const LINK = "120000";
/** Maximum number of links in a file's path. */
const MAX_LINKS = 8;

interface Entry {
  readonly isLink: boolean;
  readonly id: string;
  readonly size: number;
  readonly path: string;
}

function parseEntry(line: string): Entry | undefined {
  const [, mode, id, size, path] = ENTRY.exec(line) ?? [];
  if (id === undefined || path === undefined) return undefined;
  return { isLink: mode === LINK, id, size: Number(size), path };
}

/**
 * Lists a commit's files, so some of them can be read. Returns `undefined` if the commit is
 * missing.
 */
export async function readCommitFiles(
  git: MirrorGit,
  sha: string,
): Promise<CommitFiles | undefined> {
  const list = ["ls-tree", "-z", "-l", "--full-tree"];
  const { code, stdout } = await git([...list, "-r", sha]);
  if (code !== 0) return undefined;
  const entries = new Map<string, Entry>();
  for (const line of stdout.split("\0")) {
    const entry = parseEntry(line);
    if (entry !== undefined) entries.set(entry.path, entry);
    if (entries.size === MAX_LISTED_FILES) break;
  }
  // git's output is cut off beyond the limit.
  const isWhole = entries.size < MAX_LISTED_FILES && (stdout === "" || stdout.endsWith("\0"));
  /** Finds a file as in a checkout: follows links, and also finds files that are not listed. */
  const find = async (path: string, links = MAX_LINKS): Promise<Entry | undefined> => {
    let entry = entries.get(path);
    if (entry === undefined && !isWhole) {
      entry = parseEntry((await git([...list, "--", sha, path])).stdout.split("\0")[0]!);
    }
    if (entry === undefined || entry.size > MAX_READ_BYTES) return undefined;
    if (!entry.isLink) return entry;
    const target = await git(["cat-file", "blob", entry.id]);
    if (target.code !== 0 || target.stdout.startsWith("/") || links === 0) return undefined;
    return await find(join(dirname(path), target.stdout), links - 1);
  };
  return {
    paths: [...entries.values()].filter(({ isLink }) => !isLink).map(({ path }) => path),
    async readText(path) {
      const entry = await find(path);
      if (entry === undefined) return undefined;
      const blob = await git(["cat-file", "blob", entry.id]);
      return blob.code === 0 ? blob.stdout : undefined;
    },
  };
}
