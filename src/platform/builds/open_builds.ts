/**
 * Git and the build runner of a platform.
 *
 * @module
 */
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { GitMirrors } from "../git/mirrors.ts";
import type { BlobVault } from "../store/blob_store.ts";
import type { DataDir } from "../store/data_dir.ts";
import type { BuildRunner, GitService, OpenGitCredentials } from "./types.ts";

export interface BuildParts {
  readonly dataDir: DataDir;
  readonly vault: BlobVault;
  readonly credentials: OpenGitCredentials;
  /** Lets git reach private, local and reserved addresses, and plain HTTP. */
  readonly allowPrivate: boolean;
  /** Folders of this machine below which local repositories may lie. */
  readonly gitRoots: readonly string[];
}

export interface OpenedBuilds {
  readonly git: GitService;
  readonly runner: BuildRunner;
  /** Ends what is under way; call it when no build runs any more. */
  close(): Promise<void>;
}

export type OpenBuilds = (parts: BuildParts) => OpenedBuilds;

/** Opens git over the data directory's mirrors. */
export const openBuilds: OpenBuilds = ({ dataDir, credentials, allowPrivate, gitRoots }) => {
  const git = new GitMirrors({
    root: join(dataDir.root, "git"),
    path: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    credentials,
    allowPrivate,
    localRoots: gitRoots,
    now: systemClock,
  });
  return {
    git,
    runner: {
      run: () => Promise.resolve({ type: "failed", reason: "This platform runs no builds" }),
      forget: () => Promise.resolve(),
      forgetProject: () => Promise.resolve(),
    },
    close: () => git.close(),
  };
};
