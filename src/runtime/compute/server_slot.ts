/**
 * The place of a deployment's server: started when needed, ended when idle,
 * out of memory or without reaction, started again after a pause.
 *
 * @module
 */
import { backoffMs } from "../functions/limits.ts";
import { type End, Generation } from "./generation.ts";
import {
  GRACE_MS,
  HEALTHY_MS,
  MAX_BACKOFF_WAIT_MS,
  MEMORY_POLL_MS,
  PING_EVERY_MS,
  TERMINATE_MS,
  UNRESPONSIVE_MS,
} from "./limits.ts";
import { firstLine } from "./lines.ts";
import { startServer } from "./running_server.ts";
import type { EndableTenant, Place } from "../process/process_places.ts";
import type {
  ComputeFailure,
  ComputeHealth,
  ComputeLimits,
  ComputeServerOptions,
} from "./types.ts";
import type { ProcessLog } from "./wire.ts";

/** What the server believes to listen on, where its variables do not say. */
const DEFAULT_PORT = 3000;
const HOST = "127.0.0.1";

export interface SlotOptions {
  readonly server: ComputeServerOptions;
  readonly limits: ComputeLimits;
  readonly log: (entry: ProcessLog) => void;
  /** True while requests or sockets are under way. */
  readonly busy: () => boolean;
}

export type Placed =
  | { readonly generation: Generation }
  | { readonly problem: string; readonly reason: ComputeFailure };

/** All places of the platform are in use, and stay so. */
class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}

const SHUT_DOWN = "The server of the deployment has been shut down";

export class ServerSlot {
  #generation: Generation | undefined;
  #starting: Promise<Generation> | undefined;
  #failures = 0;
  #notBefore = 0;
  #lastProblem: string | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #lastUse = performance.now();
  #lastPing = 0;
  #pinging = false;
  #closed = false;
  /** Processes that were told to end. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(private readonly options: SlotOptions) {}

  /** Process id, while there is a process. */
  get pid(): number | undefined {
    return this.#generation?.pid;
  }

  /** The running server at once, where there is one. */
  get running(): Generation | undefined {
    return this.#generation?.end === undefined ? this.#generation : undefined;
  }

  /** The server, started where it is not running. */
  async place(): Promise<Placed> {
    this.#lastUse = performance.now();
    const { running } = this;
    if (running?.listens === true) return { generation: running };
    try {
      if (this.#starting === undefined) {
        const wait = Math.ceil(this.#notBefore - performance.now());
        if (wait > MAX_BACKOFF_WAIT_MS) {
          const problem = `${this.#lastProblem} (starts again in ${Math.ceil(wait / 1000)} s)`;
          return { problem, reason: "cannot_start" };
        }
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      }
      const again = this.running;
      return { generation: again?.listens === true ? again : await this.#start() };
    } catch (error) {
      return {
        problem: error instanceof Error ? error.message : "The server did not start",
        reason: error instanceof NoPlaceError ? "overloaded" : "cannot_start",
      };
    }
  }

  /** No request is under way any more: from now on the server is idle. */
  rest(): void {
    this.#lastUse = performance.now();
    this.options.server.places?.settle();
  }

  /** Ends a server that does not react any more. */
  async probe(generation: Generation): Promise<void> {
    if (await generation.ping(GRACE_MS) !== undefined || generation.end !== undefined) return;
    const message = "The server did not react any more and was ended";
    generation.stop({ reason: "timeout", message });
  }

  /** Asks a server that is up; one that is not running is as well as its last end. */
  async check(): Promise<ComputeHealth> {
    const { running } = this;
    if (running === undefined) {
      return this.#lastProblem !== undefined && this.#starting === undefined
        ? { healthy: false, reason: this.#lastProblem }
        : { healthy: true, latencyMs: 0 };
    }
    const latencyMs = await running.ping(GRACE_MS * 5);
    if (running.end !== undefined) {
      return { healthy: false, reason: firstLine(running.end.message) };
    }
    return latencyMs === undefined
      ? { healthy: false, reason: "The server does not react" }
      : { healthy: true, latencyMs };
  }

  /**
   * Ends the process, which may take so long to do it itself; requests under
   * way fail as aborted.
   */
  async close(withinMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#watch);
    const generation = this.#generation ?? await this.#starting?.catch(() => undefined);
    if (generation !== undefined) this.#retire(generation, SHUT_DOWN, withinMs);
    await Promise.all(this.#leaving);
  }

  #retire(generation: Generation, message: string, withinMs = TERMINATE_MS): void {
    const left = generation.retire({ reason: "aborted", message }, {
      withinMs: Math.min(withinMs, TERMINATE_MS),
      memoryMb: this.options.limits.memoryMb,
    }).finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #start(): Promise<Generation> {
    this.#starting ??= this.#startNow().finally(() => {
      this.#starting = undefined;
      this.options.server.places?.settle();
    });
    return this.#starting;
  }

  async #startNow(): Promise<Generation> {
    if (this.#closed) throw new Error(SHUT_DOWN);
    const began = performance.now();
    const { limits, log } = this.options;
    const generation = await this.#open(await this.#takePlace());
    this.#watchNow();
    if (this.#closed) generation.stop({ reason: "aborted", message: SHUT_DOWN });
    const late = setTimeout(() => {
      const message = `The server did not listen within ${limits.startMs} ms`;
      generation.stop({ reason: "cannot_start", message });
    }, limits.startMs);
    const listens = await generation.listening;
    clearTimeout(late);
    if (!listens) throw new Error(firstLine((await generation.ended).message));
    const took = Math.round(performance.now() - began);
    log({ level: "info", message: `Server started in ${took} ms (cold start)` });
    this.#lastProblem = undefined;
    this.#lastUse = performance.now();
    return generation;
  }

  /** @throws {NoPlaceError} where none came free in time. */
  async #takePlace(): Promise<Place | undefined> {
    const { places } = this.options.server;
    if (places === undefined) return undefined;
    const place = await places.take();
    if (place === undefined) {
      const message = `All ${places.max} servers that may run at once are in use`;
      this.options.log({ level: "error", message: `The server did not start: ${message}` });
      throw new NoPlaceError(message);
    }
    if (!this.#closed) return place;
    place.release();
    throw new Error(SHUT_DOWN);
  }

  /** Starts the process; its place is free again when it is gone. */
  async #open(place: Place | undefined): Promise<Generation> {
    try {
      const { log, server } = this.options;
      const { entry, env, allowPrivate, allowUnsandboxed = false, socketsDir } = server;
      const port = Number(env.PORT);
      // Permissions go by names: those of the server must be the real ones.
      const directory = await this.#orFail(Deno.realPath(server.directory));
      const generation: Generation = new Generation({
        process: await this.#orFail(startServer(
          (folder) => server.spawn(folder, { directory, allowPrivate }),
          {
            socketsDir,
            take: (stream, message) =>
              log({ level: stream === "stdout" ? "info" : "error", message }),
          },
        )),
        start: {
          directory,
          entry,
          env,
          port: Number.isInteger(port) && port > 0 && port < 65536 ? port : DEFAULT_PORT,
          host: HOST,
          allowPrivate,
          allowUnsandboxed,
        },
        log,
        ending: (end) => this.#ended(generation, end),
      });
      this.#generation = generation;
      place?.occupy(this.#tenant(generation));
      void generation.ended.then(() => place?.release());
      return generation;
    } catch (error) {
      place?.release();
      throw error;
    }
  }

  /** The process of a generation, as one that may have to make room. */
  #tenant(generation: Generation): EndableTenant {
    const idleSince = (): number | undefined => this.#isBusy() ? undefined : this.#lastUse;
    return {
      get ending() {
        return generation.end !== undefined;
      },
      get idleSince() {
        return idleSince();
      },
      end: () => {
        this.options.log({ level: "info", message: "Server ended: another one needed its place" });
        this.#retire(generation, "The server made room for another one");
      },
    };
  }

  #isBusy(): boolean {
    return this.options.busy() || this.#starting !== undefined;
  }

  async #orFail<T>(step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      this.#fail({ reason: "cannot_start", message: String(error) });
      throw error;
    }
  }

  #ended(generation: Generation, end: End): void {
    if (this.#generation === generation) {
      this.#generation = undefined;
      clearTimeout(this.#watch);
    }
    if (end.reason === "aborted") return;
    if (performance.now() - generation.startedAt > HEALTHY_MS) this.#failures = 0;
    this.#fail(end);
  }

  #fail({ message }: End): void {
    this.#failures++;
    this.#lastProblem = firstLine(message);
    this.#notBefore = performance.now() + backoffMs(this.#failures);
    this.options.log({ level: "error", message });
  }

  /** Reads memory, asks for a reaction while requests run, and ends what is idle. */
  #watchNow(): void {
    clearTimeout(this.#watch);
    const { running } = this;
    if (running === undefined) return;
    const { memoryMb, idleMs } = this.options.limits;
    const used = Math.round(running.usedMb);
    if (used > memoryMb) {
      const message = `The server took ${used} MiB of at most ${memoryMb} MiB and was ended`;
      return running.stop({ reason: "memory", message });
    }
    const now = performance.now();
    // Until it listens, the limit of its start judges it.
    if (!running.listens) {
      this.#lastUse = now;
    } else if (this.#isBusy()) {
      if (now - this.#lastPing > PING_EVERY_MS) void this.#askForReaction(running);
    } else if (idleMs > 0 && now - this.#lastUse > idleMs) {
      this.options.log({ level: "info", message: "Server ended: it had nothing to do" });
      return this.#retire(running, "The server was idle");
    }
    this.#watch = setTimeout(() => this.#watchNow(), MEMORY_POLL_MS);
    Deno.unrefTimer(Number(this.#watch));
  }

  async #askForReaction(generation: Generation): Promise<void> {
    if (this.#pinging) return;
    this.#pinging = true;
    this.#lastPing = performance.now();
    const reacted = await generation.ping(Math.min(UNRESPONSIVE_MS, this.options.limits.startMs));
    this.#pinging = false;
    if (reacted !== undefined || generation.end !== undefined) return;
    const message = "The server did not react for too long and was ended";
    generation.stop({ reason: "timeout", message });
  }
}
