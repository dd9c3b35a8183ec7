/**
 * Reads the build logs of all nodes: from the node that runs a build while it runs, and from blobs
 * once the build has finished.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { type BuildLogLine, buildLogLine } from "../../../contract/build_logs.ts";
import { messageOf } from "../../../lib/error_message.ts";
import { type Peer, PeerError, type Peers, type SilentNode } from "../../core/peers/mod.ts";
import type { DeploymentStore } from "../../deployments/mod.ts";
import type { BuildLogArchive } from "./build_log_archive.ts";
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";
import { followLocalLog } from "./follow_local_log.ts";

const QUESTION = "build-log";
const question = z.object({
  projectId: z.uuid(),
  deploymentId: z.uuid(),
  /** Whether to continue until the build has finished. */
  follow: z.boolean(),
});
const part = z.array(buildLogLine);

/** Delay before another attempt to store a log, in milliseconds. */
const AGAIN_MS = 30_000;
/** Timeout for a complete log from another node, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The location of a build's log, and the process that runs the build, if known. */
type LogSource =
  & { readonly runner?: string | undefined }
  & (
    | { readonly type: "here" }
    | { readonly type: "node"; readonly peer: Peer }
    | { readonly type: "archive"; readonly lines: readonly BuildLogLine[] }
    /** The process that ran the build has exited without storing a log. */
    | { readonly type: "lost"; readonly node: string }
  );

/** The process that runs or last ran a build. */
export interface BuildRunnerName {
  readonly instance: string;
  readonly node: string;
  readonly isRunning: boolean;
}

interface SharedBuildLogsOptions {
  readonly local: BuildLogs;
  readonly archive: BuildLogArchive;
  readonly peers: Peers;
  /** This process, if other processes also run builds. */
  readonly instance: string | undefined;
  /** Returns the process that runs or last ran a build, or `undefined` if none has started it. */
  runnerOf(build: LoggedBuild): Promise<BuildRunnerName | undefined>;
  readonly deployments: Pick<DeploymentStore, "owner">;
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

export class SharedBuildLogs {
  readonly #options: SharedBuildLogsOptions;

  constructor(options: SharedBuildLogsOptions) {
    this.#options = options;
    const { peers, local } = options;
    const readHere = (build: LoggedBuild) => this.#readHere(build);
    peers.answer(QUESTION, question, async function* ({ follow, ...build }, signal) {
      if (follow && local.isOpen(build)) yield* followLocalLog(local, build, signal);
      else yield await readHere(build);
    });
  }

  /**
   * Returns the lines of a log on this node. The log may have been moved to the blobs a moment ago.
   */
  async #readHere(build: LoggedBuild): Promise<readonly BuildLogLine[]> {
    const { local, archive } = this.#options;
    const lines = await local.read(build);
    return lines.length > 0 ? lines : await archive.read(build) ?? [];
  }

  isOpen(build: LoggedBuild): boolean {
    return this.#options.local.isOpen(build);
  }

  async find(build: LoggedBuild): Promise<LogSource> {
    const { local, archive, instance, runnerOf, peers } = this.#options;
    if (local.isOpen(build)) return { type: "here", runner: instance };
    const built = instance === undefined ? undefined : await runnerOf(build);
    const runner = built?.instance;
    const isElsewhere = runner !== undefined && runner !== instance;
    const peer = isElsewhere
      ? (await peers.list()).find((each) => each.instance === runner)
      : undefined;
    if (peer !== undefined && built?.isRunning === true) return { type: "node", peer, runner };
    const lines = await archive.read(build);
    if (lines !== undefined) return { type: "archive", lines, runner };
    if (peer !== undefined) return { type: "node", peer, runner };
    const isLost = isElsewhere && !await local.has(build);
    return isLost ? { type: "lost", node: built!.node, runner } : { type: "here", runner };
  }

  /** Returns all lines so far, and the node if it is unreachable. */
  async read(
    build: LoggedBuild,
  ): Promise<{ readonly lines: readonly BuildLogLine[]; readonly silent: readonly SilentNode[] }> {
    const source = await this.find(build);
    if (source.type === "archive") return { lines: source.lines, silent: [] };
    if (source.type === "lost") {
      return {
        lines: [],
        silent: [{ node: source.node, reason: "ran this build and no longer exists" }],
      };
    }
    if (source.type === "here") return { lines: await this.#readHere(build), silent: [] };
    const { closing } = this.#options;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const lines: BuildLogLine[] = [];
      for await (const each of this.#ask(source.peer, { ...build, follow: false }, signal)) {
        lines.push(...each);
      }
      return { lines, silent: [] };
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return { lines: [], silent: [{ node: source.peer.id, reason: error.message }] };
    }
  }

  /** Yields the lines of a log, and then new ones while the build runs. */
  async *follow(
    source: LogSource,
    build: LoggedBuild,
    signal: AbortSignal,
  ): AsyncGenerator<readonly BuildLogLine[]> {
    if (source.type === "archive") yield source.lines;
    if (source.type === "here") yield* followLocalLog(this.#options.local, build, signal);
    if (source.type === "node") yield* this.#ask(source.peer, { ...build, follow: true }, signal);
  }

  /** Moves the log of a finished build to the blobs, if there are several nodes. */
  async hasEnded(build: LoggedBuild): Promise<void> {
    if (this.#options.instance === undefined) return;
    try {
      await this.#archive(build);
    } catch (error) {
      const { deploymentId } = build;
      this.#options.onTrouble(
        `Cannot store the log of build ${deploymentId}, trying again: ${messageOf(error)}`,
      );
      void this.#archiveLater(build);
    }
  }

  /**
   * Moves logs that earlier processes left behind to the blobs. Returns the number of moved logs.
   */
  async archiveAll(signal: AbortSignal): Promise<number> {
    const { local, instance } = this.#options;
    if (instance === undefined) return 0;
    let count = 0;
    for await (const build of local.all()) {
      if (signal.aborted) break;
      if (!local.isOpen(build) && await this.#archive(build)) count++;
    }
    return count;
  }

  async *#ask(
    peer: Peer,
    data: z.infer<typeof question>,
    signal: AbortSignal,
  ): AsyncGenerator<BuildLogLine[]> {
    for await (const lines of this.#options.peers.ask(peer, { name: QUESTION, data, signal })) {
      yield part.parse(lines);
    }
  }

  /**
   * Moves a log from this node to the blobs. Returns false if the deployment has been removed, or
   * if there is no log here or it is still being written.
   */
  async #archive(build: LoggedBuild): Promise<boolean> {
    const { local, archive, deployments, instance, runnerOf } = this.#options;
    const owner = await deployments.owner(build.deploymentId);
    if (owner === undefined) return false;
    const content = await local.bytes(build);
    if (content === undefined || local.isOpen(build)) return false;
    const runner = await runnerOf(build);
    // Another node has run the build in the meantime.
    const isLate = runner !== undefined && runner.instance !== instance &&
      await archive.read(build) !== undefined;
    if (!isLate) await archive.store(build, { workspaceId: owner.workspaceId, content });
    if (!local.isOpen(build)) await local.remove(build);
    return true;
  }

  async #archiveLater(build: LoggedBuild): Promise<void> {
    const { closing } = this.#options;
    while (!closing.aborted) {
      try {
        await delay(AGAIN_MS, undefined, { signal: closing, ref: false });
        await this.#archive(build);
        return;
      } catch { /* It will be retried. */ }
    }
  }
}
