/** The repositories of all projects, as bare mirrors in the data directory. @module */
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { GitAddress } from "../../lib/git_url.ts";
import { namesIn } from "../../lib/missing_files.ts";
import { orAborted } from "../../lib/or_aborted.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import {
  gitAddress,
  type GitCredentials,
  type OpenGitCredentials,
  type ProjectRecord,
  type UnknownRepository,
} from "../projects/mod.ts";
import type { Branches, CommitFiles, GitService, Resolved, WantedCommit } from "./git_service.ts";
import { killMarked } from "../../lib/marked_processes.ts";
import { readCommitFiles } from "./commit_files.ts";
import { exportCommit } from "./export_commit.ts";
import {
  type ExportedParts,
  exportParts,
  MissingPartError,
  type PartSource,
} from "./export_parts.ts";
import {
  GIT_MARKER,
  gitEnvironment,
  type GitFolder,
  INCOMING_PREFIX,
  openRemote,
  prepareGitFolder,
} from "./git_environment.ts";
import type { GitFailure } from "./git_failure.ts";
import { type GitUrlRules, judgeGitUrl, type LookUp, pinAddress, systemLookUp } from "./git_url.ts";
import { inspectCommit } from "./inspect_commit.ts";
import { listHeads, type Remote } from "./list_heads.ts";
import { Mirror, type MirrorLimits } from "./mirror.ts";
import { pushedRepository } from "./pushed_repository.ts";
import { asOwnTransport } from "./submodules.ts";

/** Removes locks that a killed git process left behind. The mirror is unused at that time. */
async function removeLocks(mirror: string): Promise<void> {
  for (const name of await namesIn(mirror)) {
    const path = join(mirror, name);
    if (name.endsWith(".lock")) await Deno.remove(path);
  }
  await removeLocksBelow(join(mirror, "refs"));
}

async function removeLocksBelow(folder: string): Promise<void> {
  for (const entry of await Array.fromAsync(Deno.readDir(folder)).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) await removeLocksBelow(path);
    else if (entry.name.endsWith(".lock")) await Deno.remove(path);
  }
}

/** Maximum number of changed paths to check when deciding whether a build is needed. */
const MAX_CHANGED_FILES = 20_000;
/** Maximum length of the list of these paths, in characters. */
const MAX_CHANGES = 8 * 1024 * 1024;

export interface GitMirrorsOptions extends GitUrlRules {
  readonly root: string;
  /** The folder for repositories that are pushed to the platform. */
  readonly pushed: string;
  readonly syncPushed?: ((projectId: string) => Promise<void>) | undefined;
  /** The `PATH` for finding git and ssh. */
  readonly path: string;
  /** Variables that configure network access, such as proxies and certificates. */
  readonly network?: Readonly<Record<string, string>>;
  readonly credentials: OpenGitCredentials;
  /** Sends the requests that fetch Git LFS files. */
  readonly outbound: OutboundFetch;
  readonly now: Clock;
  readonly limits?: Partial<MirrorLimits>;
  /** Finds a host's addresses; by default, with the system's resolver. */
  readonly lookUp?: LookUp;
}

const DEFAULT_LIMITS: MirrorLimits = {
  fetchMs: 10 * 60_000,
  maxBytes: 5 * 1024 ** 3,
  freshMs: 10_000,
};

/** Maximum wait for the list of branches, in milliseconds. */
const LIST_MS = 60_000;
/** Maximum wait while a person creates a project, in milliseconds. */
const CHECK_MS = 20_000;

const NO_URL: GitFailure = { type: "unauthorized" };

/** Thrown if the repository no longer has a commit. `message` is human-readable. */
export class GitFault extends Error {
  override readonly name = "GitFault";
}

/** A URL to which the platform may connect, and the current address of the URL's host. */
interface CheckedUrl {
  readonly source: GitAddress;
  readonly address: string | undefined;
}

export class GitMirrors implements GitService {
  readonly #mirrors = new Map<string, Mirror>();
  readonly #closing = new AbortController();
  readonly #folder: GitFolder;
  readonly #limits: MirrorLimits;
  #prepared: Promise<void> | undefined;

  readonly #options: GitMirrorsOptions;

  constructor(options: GitMirrorsOptions) {
    this.#options = options;
    const { root, path, network = {} } = options;
    this.#folder = { root, home: join(root, ".home"), path, network };
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** Kills processes and removes files that a crash of the platform left behind. */
  async recover(): Promise<void> {
    const { root } = this.#folder;
    const names = await namesIn(root);
    // If git's home folder is empty, git has never run. Checking all processes takes a while.
    if (names.length === 0) return;
    await killMarked(`${GIT_MARKER}=${root}`);
    for (const name of names) {
      const path = join(root, name);
      if (name.startsWith(INCOMING_PREFIX)) await Deno.remove(path, { recursive: true });
      else if (name.endsWith(".git")) await removeLocks(path);
    }
  }

  async resolve(
    project: ProjectRecord,
    wanted: WantedCommit,
    signal: AbortSignal,
  ): Promise<Resolved> {
    const way = await this.#wayTo(project);
    if ("type" in way) return way;
    const mirror = this.#mirrorOf(project.id);
    const look = async (): Promise<Resolved> => {
      await mirror.underWay();
      if (wanted.commitSha !== undefined && await mirror.isFresh(way.url)) {
        const known = await inspectCommit(mirror, wanted);
        if (known.type === "found") return known;
      }
      const fetched = await mirror.fetch(way.url, way.open);
      return fetched.type === "fetched" ? await inspectCommit(mirror, wanted) : fetched;
    };
    return await orAborted(look(), signal);
  }

  async branches(project: ProjectRecord, signal: AbortSignal): Promise<Branches> {
    const way = await this.#wayTo(project);
    if ("type" in way) return unreachable(way);
    const listed = await this.#list(way, { signal, timeoutMs: LIST_MS });
    return listed.type === "found" ? listed : unreachable(listed);
  }

  async check(
    { gitUrl, credentials }: UnknownRepository,
    signal: AbortSignal,
  ): Promise<GitFailure | undefined> {
    const checked = await this.#checked(gitUrl);
    if ("type" in checked) return checked;
    // No project has the host's key yet.
    const knownHosts = join(this.#folder.root, `${INCOMING_PREFIX}${crypto.randomUUID()}`);
    try {
      const remote = this.#remoteTo(checked, {
        knownHosts,
        credentials: () => Promise.resolve(credentials),
      });
      const listed = await this.#list(remote, { signal, timeoutMs: CHECK_MS });
      return listed.type === "found" ? undefined : listed;
    } finally {
      await Deno.remove(knownHosts).catch(() => {});
    }
  }

  #list(
    remote: Remote,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) {
    return listHeads(remote, {
      timeoutMs,
      env: gitEnvironment(this.#folder),
      signal: AbortSignal.any([signal, this.#closing.signal]),
    });
  }

  /** Exports a commit as `.git`, with submodules and LFS files. @throws {GitFault} */
  async exportCommit(
    project: ProjectRecord,
    wanted: { readonly branch: string; readonly commitSha: string },
    options: { readonly target: string; readonly signal: AbortSignal },
  ): Promise<ExportedParts> {
    const { target } = options;
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    await this.#exportOne(project, wanted, { target, signal });
    try {
      return await exportParts({
        target,
        signal,
        folder: this.#folder,
        sha: wanted.commitSha,
        maxBytes: this.#limits.maxBytes,
        fetchMs: this.#limits.fetchMs,
        url: project.gitUrl ?? undefined,
        outbound: this.#options.outbound,
        sourceOf: (url) => this.#partSource(project, url),
      });
    } catch (error) {
      if (error instanceof MissingPartError) throw new GitFault(error.message, { cause: error });
      throw error;
    }
  }

  async #exportOne(
    project: ProjectRecord,
    wanted: { readonly branch: string; readonly commitSha: string },
    { target, signal }: { readonly target: string; readonly signal: AbortSignal },
  ): Promise<void> {
    await this.#prepare();
    const mirror = this.#mirrorOf(project.id);
    const run = { folder: this.#folder, mirror: mirror.path, sha: wanted.commitSha };
    if (await exportCommit({ ...run, target, signal })) return;
    // The mirror may have been removed or recreated since the commit was resolved.
    const resolved = await this.resolve(project, wanted, signal);
    if (resolved.type === "unreachable") throw new GitFault(resolved.reason);
    if (await exportCommit({ ...run, target, signal })) return;
    throw new GitFault(`The repository no longer has commit ${wanted.commitSha}`);
  }

  /** Returns the changed paths; `undefined` if there are too many or the mirror lacks a commit. */
  async changedFiles(
    projectId: string,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<string[] | undefined> {
    await this.#prepare();
    const { code, stdout } = await this.#mirrorOf(projectId).git([
      "diff-tree",
      "-r",
      "-z",
      "--name-only",
      "--no-renames",
      "--no-ext-diff",
      "--end-of-options",
      from,
      to,
    ]);
    const files = stdout.split("\0").filter((path) => path !== "");
    // git's output is cut off beyond the limit.
    const isWhole = stdout.length < MAX_CHANGES && files.length <= MAX_CHANGED_FILES;
    return code === 0 && isWhole ? files : undefined;
  }

  async filesOf(projectId: string, sha: string): Promise<CommitFiles> {
    await this.#prepare();
    const files = await readCommitFiles(this.#mirrorOf(projectId).git, sha);
    if (files === undefined) throw new GitFault(`The repository no longer has commit ${sha}`);
    return files;
  }

  async removeMirror(projectId: string): Promise<void> {
    const mirror = this.#mirrorOf(projectId);
    this.#mirrors.delete(projectId);
    await mirror.remove();
    await Deno.remove(this.#knownHosts(projectId)).catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException("The platform is stopping", "AbortError"));
    await Promise.all([...this.#mirrors.values()].map((mirror) => mirror.settle()));
  }

  #prepare(): Promise<void> {
    return this.#prepared ??= prepareGitFolder(this.#folder);
  }

  #knownHosts(projectId: string): string {
    return join(this.#folder.root, `${projectId}.known_hosts`);
  }

  #mirrorOf(projectId: string): Mirror {
    let mirror = this.#mirrors.get(projectId);
    if (mirror === undefined) {
      mirror = new Mirror(projectId, {
        folder: this.#folder,
        limits: this.#limits,
        now: this.#options.now,
        closing: this.#closing.signal,
      });
      this.#mirrors.set(projectId, mirror);
    }
    return mirror;
  }

  /** Opens the pushed repository of a project that has no repository URL. */
  async #wayToPushed(projectId: string): Promise<Remote | GitFailure> {
    const url = pushedRepository(this.#options.pushed, projectId);
    await this.#options.syncPushed?.(projectId);
    if (!await Deno.stat(url).then(() => true, () => false)) return NO_URL;
    await this.#prepare();
    return {
      url,
      open: () =>
        openRemote({ transport: "local", path: url, origin: null }, {
          folder: this.#folder,
          address: undefined,
          credentials: undefined,
          knownHosts: this.#knownHosts(projectId),
        }),
    };
  }

  async #wayTo(project: ProjectRecord): Promise<Remote | GitFailure> {
    if (project.gitUrl === null) return await this.#wayToPushed(project.id);
    const checked = await this.#checked(project.gitUrl);
    if ("type" in checked) return checked;
    return this.#remoteTo(checked, {
      credentials: () => this.#options.credentials(project),
      knownHosts: this.#knownHosts(project.id),
    });
  }

  #remoteTo(
    { source, address }: CheckedUrl,
    { credentials, knownHosts }: {
      credentials(): Promise<GitCredentials | undefined>;
      readonly knownHosts: string;
    },
  ): Remote {
    return {
      url: source.transport === "local" ? source.path : source.url,
      open: async () =>
        await openRemote(source, {
          folder: this.#folder,
          address,
          credentials: await credentials(),
          knownHosts,
        }),
    };
  }

  /** Checks a URL, and pins its host's current address. */
  async #checked(url: string): Promise<CheckedUrl | GitFailure> {
    const judged = judgeGitUrl(url, this.#options);
    if (judged.type === "refused") return { type: "unreachable", reason: judged.reason };
    await this.#prepare();
    const lookUp = this.#options.lookUp ?? systemLookUp;
    const pinned = await pinAddress(judged.source, this.#options, lookUp);
    if (pinned.type === "refused") return { type: "unreachable", reason: pinned.reason };
    return { source: pinned.source, address: pinned.address };
  }

  /** Opens a repository that a commit refers to, with the project's credentials on the same host. */
  async #partSource(project: ProjectRecord, written: string): Promise<PartSource | GitFailure> {
    const own = gitAddress(project.gitUrl);
    const checked = await this.#checked(asOwnTransport(written, own));
    if ("type" in checked) return checked;
    const { source } = checked;
    if (source.transport === "local" && own?.transport !== "local") {
      return { type: "unreachable", reason: "Folders on the platform's machine are not allowed" };
    }
    const credentials = source.origin !== null && source.origin === own?.origin
      ? await this.#options.credentials(project)
      : undefined;
    return {
      address: source,
      credentials,
      ...this.#remoteTo(checked, {
        credentials: () => Promise.resolve(credentials),
        knownHosts: this.#knownHosts(project.id),
      }),
    };
  }
}

function unreachable(failure: GitFailure): Branches {
  return failure.type === "unreachable"
    ? failure
    : { type: "unreachable", reason: "The platform has no access to the repository" };
}
