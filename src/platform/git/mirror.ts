/**
 * A bare mirror of one project's repository. One fetch runs at a time and is shared by concurrent
 * callers. A damaged mirror is recreated.
 *
 * @module
 */
import { formatBytes } from "../../lib/format.ts";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import type { Clock } from "../../lib/clock.ts";
import { watchSize } from "../../lib/folder_size.ts";
import { removeTree } from "../../lib/missing_files.ts";
import { BranchHeads } from "./branch_heads.ts";
import {
  gitEnvironment,
  type GitFolder,
  INCOMING_PREFIX,
  type RemoteAccess,
} from "./git_environment.ts";
import { type GitFailure, judgeFailure } from "./git_failure.ts";
import { type GitResult, type GitRun, runGit } from "./git_process.ts";
import type { MirrorGit } from "./inspect_commit.ts";

export interface MirrorLimits {
  /** Maximum duration of a fetch, in milliseconds. */
  readonly fetchMs: number;
  /** Maximum size of a mirror, in bytes. */
  readonly maxBytes: number;
  /** How long a fetch counts as fresh, so it is not repeated, in milliseconds. */
  readonly freshMs: number;
}

export type Fetched = { readonly type: "fetched" } | GitFailure;

const LOCAL_MS = 60_000;

/** Number of packs at which a mirror is repacked. */
const MAX_PACKS = 40;

/** The file that contains the URL of the mirror's repository. */
const SOURCE_FILE = "svc-source";

const REF_SPEC = "+refs/heads/*:refs/heads/*";

const FETCH = [
  "fetch",
  "--quiet",
  "--prune",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-show-forced-updates",
  "--atomic",
  "--end-of-options",
] as const;

/** Matches errors that only a new mirror can repair. */
const DAMAGED =
  /not a git repository|bad object|object file .* is empty|corrupt|packfile|unable to create .*\.lock/i;

interface MirrorOptions {
  readonly folder: GitFolder;
  readonly limits: MirrorLimits;
  readonly now: Clock;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
}

export class Mirror {
  readonly path: string;
  #begun = 0;
  #running: Promise<Fetched> | undefined;
  #latest:
    | { readonly number: number; readonly startedAt: number; readonly fetched: Fetched }
    | undefined;
  #maintaining: Promise<void> = Promise.resolve();
  readonly #forgotten = new AbortController();
  readonly #signal: AbortSignal;

  readonly #options: MirrorOptions;

  constructor(projectId: string, options: MirrorOptions) {
    this.#options = options;
    this.path = join(options.folder.root, `${projectId}.git`);
    this.#signal = AbortSignal.any([options.closing, this.#forgotten.signal]);
  }

  /** Runs a query on the mirror. Returns `undefined` if the mirror is damaged. */
  readonly git: MirrorGit = (args, { input } = {}) =>
    this.#run(this.path, args, input === undefined ? {} : { input });

  readonly heads = new BranchHeads((args) => this.#run(this.path, args, { single: true }));

  /** Returns whether the mirror is for this repository and was fetched recently. */
  async isFresh(url: string): Promise<boolean> {
    const latest = this.#latest;
    if (latest?.fetched.type !== "fetched") return false;
    if (this.#options.now() - latest.startedAt > this.#options.limits.freshMs) return false;
    return await this.isOf(url);
  }

  /** Returns whether the mirror exists and is for this repository. */
  async isOf(url: string): Promise<boolean> {
    const source = await Deno.readTextFile(join(this.path, SOURCE_FILE)).catch(() => undefined);
    return source === url;
  }

  /**
   * Fetches the repository. Shares only a fetch that starts after this call, because an earlier
   * fetch may have missed a push.
   */
  async fetch(url: string, open: () => Promise<RemoteAccess>): Promise<Fetched> {
    const asked = this.#begun;
    await this.underWay();
    const latest = this.#latest;
    if (latest !== undefined && latest.number > asked && await this.isOf(url)) {
      return latest.fetched;
    }
    // Another waiting caller may have already started a fetch.
    return await (this.#running ??= this.#begin(url, open));
  }

  async underWay(): Promise<void> {
    await this.#running?.catch(() => {});
  }

  async settle(): Promise<void> {
    await this.underWay();
    await this.#maintaining;
  }

  async #begin(url: string, open: () => Promise<RemoteAccess>): Promise<Fetched> {
    const number = ++this.#begun;
    const startedAt = this.#options.now();
    try {
      const fetched = await this.#fetchNow(url, open);
      this.#latest = { number, startedAt, fetched };
      return fetched;
    } finally {
      this.#running = undefined;
    }
  }

  #run(
    gitDir: string,
    args: readonly string[],
    options: Partial<Pick<GitRun, "input" | "timeoutMs" | "masker" | "env" | "single">>,
  ): Promise<GitResult> {
    const { env, ...rest } = options;
    return runGit({
      timeoutMs: LOCAL_MS,
      signal: this.#signal,
      ...rest,
      args: [`--git-dir=${gitDir}`, ...args],
      env: { ...gitEnvironment(this.#options.folder), ...env },
    });
  }

  async #fetchNow(url: string, open: () => Promise<RemoteAccess>): Promise<Fetched> {
    await this.#maintaining;
    const access = await open();
    try {
      if (!await this.isOf(url)) return await this.#create(url, access);
      const result = await this.#fetchInto(this.path, url, access);
      if (result.code === 0) {
        this.#maintaining = this.#maintain();
        return { type: "fetched" };
      }
      return DAMAGED.test(result.stderr) ? await this.#create(url, access) : judgeFailure(result);
    } finally {
      await access.dispose();
    }
  }

  async #fetchInto(path: string, url: string, access: RemoteAccess): Promise<GitResult> {
    const { maxBytes, fetchMs } = this.#options.limits;
    const watch = watchSize([path], { maxBytes });
    try {
      return await runGit({
        args: [`--git-dir=${path}`, ...FETCH, url, REF_SPEC],
        env: { ...gitEnvironment(this.#options.folder), ...access.env },
        timeoutMs: fetchMs,
        signal: AbortSignal.any([this.#signal, watch.exceeded]),
        masker: access.masker,
      });
    } catch (error) {
      if (this.#signal.aborted || !watch.exceeded.aborted) throw error;
      const stderr = `The repository is larger than ${formatBytes(maxBytes)}`;
      return { code: 1, stdout: "", stderr, timedOut: false };
    } finally {
      await watch.stop();
    }
  }

  /** Creates the mirror under a temporary name, so a partial mirror is never used. */
  async #create(url: string, access: RemoteAccess): Promise<Fetched> {
    const incoming = join(this.#options.folder.root, `${INCOMING_PREFIX}${crypto.randomUUID()}`);
    try {
      const made = await this.#run(incoming, ["init", "--quiet", "--bare", "--template="], {});
      if (made.code !== 0) throw new Error(`Cannot create a mirror: ${made.stderr}`);
      const result = await this.#fetchInto(incoming, url, access);
      if (result.code !== 0) return judgeFailure(result);
      await writeFileAtomically(join(incoming, SOURCE_FILE), url, { mode: 0o600 });
      await removeTree(this.path);
      await Deno.rename(incoming, this.path);
      return { type: "fetched" };
    } finally {
      await Deno.remove(incoming, { recursive: true }).catch(() => {});
    }
  }

  /** Aborts current work, and removes the mirror. The mirror must not be used afterwards. */
  async remove(): Promise<void> {
    this.#forgotten.abort(new DOMException("The project was deleted", "AbortError"));
    await this.settle();
    await removeTree(this.path);
  }

  /** Combines the packs from many fetches. Commits that are on no branch are kept for two weeks. */
  async #maintain(): Promise<void> {
    try {
      let packs = 0;
      for await (const { name } of Deno.readDir(join(this.path, "objects", "pack"))) {
        if (name.endsWith(".pack")) packs++;
      }
      if (packs <= MAX_PACKS) return;
      const timeoutMs = this.#options.limits.fetchMs;
      await this.#run(this.path, ["gc", "--quiet", "--prune=2.weeks.ago"], { timeoutMs });
    } catch { /* a mirror that cannot be read is created again by the next fetch */ }
  }
}
