/** A platform's git service and build runner. @module */
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { type Environment, networkVariables } from "../../lib/network_variables.ts";
import type { BuildLogs } from "./logs/build_logs.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";
import type { VariableStore } from "../variables/mod.ts";
import { type OutboundFetch } from "../../runtime/mod.ts";
import { toolchainPlaces } from "../../toolchains/toolchain_places.ts";
import { GitMirrors, type GitService, PUSHED_FOLDER, type PushedRepositories } from "../git/mod.ts";
import type { OpenGitCredentials, ProjectStore } from "../projects/mod.ts";
import type { BlobVault, DataDir } from "../core/store/mod.ts";
import { buildProgram } from "./sandbox/program.ts";
import type { OpenSandbox } from "./sandbox/sandbox_access.ts";
import { SandboxedRunner } from "./runner/sandboxed_runner.ts";
import type { BuildSettings } from "./build_settings.ts";
import type { BuildRunner } from "./types.ts";

interface BuildParts {
  readonly dataDir: DataDir;
  readonly vault: BlobVault;
  readonly projects: ProjectStore;
  readonly variables: VariableStore;
  /** Gives builds access to the databases of their deployments. */
  readonly databases: Pick<DeploymentDatabases, "openVariables" | "prepare">;
  readonly buildLogs: BuildLogs;
  /** The store of pushed repositories, if other nodes accept pushes too. */
  readonly pushedRepositories: Pick<PushedRepositories, "sync"> | undefined;
  readonly credentials: OpenGitCredentials;
  /** Fetches Git LFS files over HTTP. */
  readonly outbound: OutboundFetch;
  readonly env: Environment;
  /** Allows git to access private, local and reserved addresses, and plain HTTP. */
  readonly allowPrivate: boolean;
  /** Folders on this machine that may contain local repositories. */
  readonly gitRoots: readonly string[];
  readonly settings: BuildSettings;
  onTrouble(message: string): void;
}

interface OpenedBuilds {
  readonly git: GitService;
  readonly runner: BuildRunner;
  /** The build sandbox, for git; missing if there is no sandbox. */
  readonly sandbox?: OpenSandbox;
  /**
   * Kills processes left over from a crash, and removes their files. Call this before the first
   * build.
   */
  recover?(): Promise<void>;
  /** Stops work in progress. Call this when no build is running. */
  close(): Promise<void>;
}

export type OpenBuilds = (parts: BuildParts) => OpenedBuilds;

/** Opens git with the mirrors in the data directory, and a build runner that uses them. */
export const openBuilds: OpenBuilds = (parts) => {
  const { dataDir, credentials, allowPrivate, env, gitRoots, settings } = parts;
  const path = env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
  const git = new GitMirrors({
    root: join(dataDir.root, "git"),
    pushed: join(dataDir.root, PUSHED_FOLDER),
    syncPushed: (projectId) => parts.pushedRepositories?.sync(projectId) ?? Promise.resolve(),
    path,
    network: networkVariables(env),
    credentials,
    outbound: parts.outbound,
    allowPrivate,
    localRoots: gitRoots,
    now: systemClock,
  });
  const { projects, variables, databases, vault, buildLogs: logs } = parts;
  const runner = new SandboxedRunner({
    projects,
    variables,
    databases,
    vault,
    logs,
    git,
    path,
    toolchains: () => toolchainPlaces(env, { dataDir: dataDir.root, builds: true }),
    onTrouble: parts.onTrouble,
    program: buildProgram(env),
    dataDir: dataDir.root,
    settings,
  });
  return {
    git,
    runner,
    sandbox: () => runner.access(),
    async recover() {
      await git.recover();
      await runner.recover();
    },
    close: () => git.close(),
  };
};
