/** Exports one commit from a mirror as a small repository, without history or checkout. @module */
import { join } from "node:path";
import { gitEnvironment, type GitFolder } from "./git_environment.ts";
import { runGit } from "./git_process.ts";

interface ExportOptions {
  readonly folder: GitFolder;
  readonly mirror: string;
  readonly sha: string;
  /** The folder in which to create `.git`. The folder itself is created if it is missing. */
  readonly target: string;
  readonly signal: AbortSignal;
}

const EXPORT_MS = 5 * 60_000;

const fileUrl = (path: string): string =>
  `file://${path.split("/").map(encodeURIComponent).join("/")}`;

/** Exports a commit. Returns `false` if the mirror does not have the commit. */
export async function exportCommit(options: ExportOptions): Promise<boolean> {
  const { folder, mirror, sha, target, signal } = options;
  const inside = `--git-dir=${join(target, ".git")}`;
  const git = (args: readonly string[]) =>
    runGit({
      args,
      // Checks no objects, because the mirror's objects were checked when they were fetched.
      env: {
        ...gitEnvironment(folder),
        GIT_ALLOW_PROTOCOL: "file",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "transfer.fsckObjects",
        GIT_CONFIG_VALUE_0: "false",
      },
      timeoutMs: EXPORT_MS,
      signal,
    });
  const made = await git(["init", "--quiet", "--template=", "--", target]);
  if (made.code !== 0) throw new Error(`Cannot create a repository: ${made.stderr}`);
  const fetched = await git([
    inside,
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--end-of-options",
    fileUrl(mirror),
    sha,
  ]);
  if (fetched.code !== 0) return false;
  const pointed = await git([inside, "update-ref", "--no-deref", "HEAD", sha]);
  return pointed.code === 0;
}
