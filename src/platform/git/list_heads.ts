/** Lists the branches of a remote repository. @module */
import type { RemoteAccess } from "./git_environment.ts";
import { type GitFailure, judgeFailure } from "./git_failure.ts";
import { runGit } from "./git_process.ts";

/** A repository to which the platform may connect. */
export interface Remote {
  readonly url: string;
  open(): Promise<RemoteAccess>;
}

/**
 * Returns the names of the branches that a repository currently has, or the reason why it cannot be
 * read.
 */
export async function listHeads(
  remote: Remote,
  { env, timeoutMs, signal }: {
    readonly env: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly type: "found"; readonly branches: ReadonlySet<string> } | GitFailure> {
  const access = await remote.open();
  try {
    const result = await runGit({
      args: ["ls-remote", "--heads", "--quiet", "--end-of-options", remote.url],
      env: { ...env, ...access.env },
      timeoutMs,
      signal,
      masker: access.masker,
    });
    if (result.code !== 0) return judgeFailure(result);
    const names = result.stdout.split("\n").flatMap((line) => {
      const name = /\trefs\/heads\/(.+)$/.exec(line)?.[1];
      return name === undefined ? [] : [name];
    });
    return { type: "found", branches: new Set(names) };
  } finally {
    await access.dispose();
  }
}
