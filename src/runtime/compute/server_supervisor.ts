/** @module Starts, stops and restarts the process of a deployment's server. */
import {
  type EndCause,
  NoPlaceError,
  type ProcessDriver,
  ProcessSupervisor,
} from "../process/process_supervisor.ts";
import { SYSTEM_TIMERS, type Timers } from "../process/timers.ts";
import {
  GRACE_MS,
  MAX_BACKOFF_WAIT_MS,
  MEMORY_POLL_MS,
  PING_EVERY_MS,
  TERMINATE_MS,
  UNRESPONSIVE_MS,
} from "./limits.ts";
import { describeStart, groupLimits } from "./describe_start.ts";
import { firstLine, levelOfLine, levelOfStream } from "./lines.ts";
import { type End, ServerProcess } from "./server_process.ts";
import type {
  ComputeFailure,
  ComputeHealth,
  ComputeLimits,
  ComputeServerOptions,
} from "./types.ts";
import type { ProcessLog } from "./wire.ts";

interface ServerSupervisorOptions {
  readonly server: ComputeServerOptions;
  readonly limits: ComputeLimits;
  readonly log: (entry: ProcessLog) => void;
  /** Returns true while there are requests or sockets. */
  readonly busy: () => boolean;
  readonly timers?: Timers;
}

/** The running server, or why there is none. */
export type FoundServer =
  | { readonly server: ServerProcess }
  | { readonly problem: string; readonly reason: ComputeFailure };

const SHUT_DOWN = "The deployment's server has been shut down";

export class ServerSupervisor {
  readonly #supervisor: ProcessSupervisor<ServerProcess>;
  readonly #timers: Timers;
  #lastProblem: string | undefined;
  #startBegan = 0;
  #lastPing = 0;
  #pinging = false;
  /** Processes that are shutting down. */
  readonly #leaving = new Set<Promise<void>>();

  readonly #options: ServerSupervisorOptions;

  constructor(options: ServerSupervisorOptions) {
    this.#options = options;
    const { startMs, idleMs } = options.limits;
    this.#timers = options.timers ?? SYSTEM_TIMERS;
    this.#supervisor = new ProcessSupervisor({
      driver: this.#driver(),
      places: options.server.places,
      noPlace: (max) => `All ${max} servers that can run at once are in use`,
      closed: SHUT_DOWN,
      startMs,
      idleMs,
      pollMs: MEMORY_POLL_MS,
      timers: this.#timers,
    });
  }

  /** Process ID, while there is a process. */
  get pid(): number | undefined {
    return this.#supervisor.current?.pid;
  }

  /** The running server, whether or not it already listens. */
  get running(): ServerProcess | undefined {
    const { current } = this.#supervisor;
    return current?.end === undefined ? current : undefined;
  }

  /** Returns the server, which is started if it is not running. Never rejects. */
  async find(): Promise<FoundServer> {
    this.#supervisor.touch();
    const { running } = this;
    if (running?.listens === true) return { server: running };
    try {
      if (!this.#supervisor.isStarting) {
        const wait = this.#supervisor.backoff.waitMs;
        if (wait > MAX_BACKOFF_WAIT_MS) {
          const problem = `${this.#lastProblem} (starts again in ${Math.ceil(wait / 1000)} s)`;
          return { problem, reason: "cannot_start" };
        }
        if (wait > 0) await new Promise<void>((resolve) => this.#timers.after(wait, resolve));
      }
      const again = this.running;
      return { server: again?.listens === true ? again : await this.#start() };
    } catch (error) {
      return {
        problem: error instanceof Error ? error.message : "The server did not start",
        reason: error instanceof NoPlaceError ? "overloaded" : "cannot_start",
      };
    }
  }

  /** Records that the last request has finished, so the server is idle from now on. */
  becameIdle(): void {
    this.#supervisor.touch();
    this.#supervisor.settle();
  }

  /** Stops a server that no longer reacts. */
  async probe(server: ServerProcess): Promise<void> {
    if (await server.ping(GRACE_MS) !== undefined || server.isEnding) return;
    const message = "The server stopped responding and was stopped";
    server.stop({ reason: "timeout", message });
  }

  /** Pings a running server. A stopped server is unhealthy if its last run failed. */
  async check(): Promise<ComputeHealth> {
    const { running } = this;
    if (running === undefined) {
      return this.#lastProblem !== undefined && !this.#supervisor.isStarting
        ? { healthy: false, reason: this.#lastProblem }
        : { healthy: true, latencyMs: 0 };
    }
    const latencyMs = await running.ping(GRACE_MS * 5);
    if (running.end !== undefined) {
      return { healthy: false, reason: firstLine(running.end.message) };
    }
    return latencyMs === undefined
      ? { healthy: false, reason: "The server is not responding" }
      : { healthy: true, latencyMs };
  }

  /**
   * Stops the process. Gives it at most `withinMs` milliseconds to exit by itself. Current requests
   * fail as aborted.
   */
  async close(withinMs: number): Promise<void> {
    const server = await this.#supervisor.close();
    if (server !== undefined) this.#retire(server, SHUT_DOWN, withinMs);
    await Promise.all(this.#leaving);
  }

  #driver(): ProcessDriver<ServerProcess> {
    return {
      spawn: () => this.#spawn(),
      ready: (server) => this.#ready(server),
      isBusy: () => this.#options.busy(),
      inspect: (server) => this.#inspect(server),
      end: (server, cause) => this.#endFor(cause, server),
    };
  }

  async #start(): Promise<ServerProcess> {
    const isFirst = !this.#supervisor.isStarting;
    if (isFirst) this.#startBegan = this.#timers.now();
    try {
      return await this.#supervisor.start();
    } catch (error) {
      if (isFirst && error instanceof NoPlaceError) {
        const message = `The server did not start: ${error.message}`;
        this.#options.log({ level: "error", message });
      }
      throw error;
    }
  }

  async #spawn(): Promise<ServerProcess> {
    const { log, server } = this.#options;
    const { launcher, revalidate } = server;
    const { memoryMb } = this.#options.limits;
    const levelOf = server.engine === "command" ? levelOfLine : levelOfStream;
    try {
      // Permissions apply to real paths, so the server needs the real path of its directory.
      const directory = await Deno.realPath(server.directory);
      const running = await launcher.start({ directory }, {
        group: groupLimits(server, memoryMb),
        take: (stream, message) => log({ level: levelOf(stream, message), message }),
      });
      const started: ServerProcess = new ServerProcess({
        process: running,
        timers: this.#timers,
        start: describeStart(server, { directory, memoryMb }),
        log,
        revalidate,
        ending: (end) => this.#ended(started, end),
      });
      return started;
    } catch (error) {
      this.#fail(String(error));
      throw error;
    }
  }

  /** @throws Error with the reason if the server exits before it listens */
  async #ready(server: ServerProcess): Promise<void> {
    if (!await server.listening) throw new Error(firstLine((await server.gone).message));
    const took = Math.round(this.#timers.now() - this.#startBegan);
    const how = ["cold start", server.runtime ?? []].flat().join(", ");
    this.#options.log({ level: "info", message: `Server started in ${took} ms (${how})` });
    this.#lastProblem = undefined;
  }

  #endFor(cause: EndCause, server: ServerProcess): void {
    switch (cause) {
      case "idle":
        this.#options.log({ level: "info", message: "Server stopped: it was idle" });
        return this.#retire(server, "The server was idle");
      case "place":
        this.#options.log({
          level: "info",
          message: "Server stopped: another server needed its slot",
        });
        return this.#retire(server, "The server made room for another server");
      case "late": {
        const message =
          `The server did not listen within ${this.#options.limits.startMs / 1000} s: ` +
          "it must listen on process.env.PORT. To allow more time, set start_timeout under " +
          "[server] in svc.toml";
        return server.stop({ reason: "cannot_start", message });
      }
      case "closed":
        return server.stop({ reason: "aborted", message: SHUT_DOWN });
    }
  }

  #retire(server: ServerProcess, message: string, withinMs = TERMINATE_MS): void {
    const left = server.retire({ reason: "aborted", message }, {
      withinMs: Math.min(withinMs, TERMINATE_MS),
      memoryMb: this.#options.limits.memoryMb,
    }).finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #ended(server: ServerProcess, { reason, message }: End): void {
    this.#supervisor.release(server);
    if (reason !== "aborted") this.#fail(message, server.startedAt);
  }

  #fail(message: string, startedAt?: number): void {
    this.#lastProblem = firstLine(message);
    this.#supervisor.backoff.failed(startedAt);
    this.#options.log({ level: "error", message });
  }

  /** Checks the server's memory, and pings it while requests are running. */
  #inspect(server: ServerProcess): void {
    const { memoryMb } = this.#options.limits;
    const used = Math.round(server.usedMb);
    if (used > memoryMb) {
      const message = `The server used ${used} MiB of at most ${memoryMb} MiB and was stopped: ` +
        "to allow more, set memory_mb under [server] in svc.toml";
      return server.stop({ reason: "memory", message });
    }
    const now = this.#timers.now();
    if (server.listens && this.#options.busy() && now - this.#lastPing > PING_EVERY_MS) {
      this.#askForReaction(server, now).catch(() => this.#pinging = false);
    }
  }

  async #askForReaction(server: ServerProcess, now: number): Promise<void> {
    if (this.#pinging) return;
    this.#pinging = true;
    this.#lastPing = now;
    const reacted = await server.ping(Math.min(UNRESPONSIVE_MS, this.#options.limits.startMs));
    this.#pinging = false;
    if (reacted !== undefined || server.isEnding) return;
    const message = "The server did not respond for too long and was stopped";
    server.stop({ reason: "timeout", message });
  }
}
