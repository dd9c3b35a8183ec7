/** @module The server of one COMPUTE layer. Every request gets a result. */
import { formatCount } from "../../lib/format.ts";
import { OutboundError } from "../http1/errors.ts";
import { resolveSignal } from "../http1/exchange_watch.ts";
import { LineLimit } from "../process/frames/log_lines.ts";
import { ConcurrencyGate, type Release, waitForPlace } from "../process/concurrency_gate.ts";
import { decideSocket, SocketCount } from "../process/socket_count.ts";
import { within } from "../process/timers.ts";
import { DEFAULT_COMPUTE_LIMITS, MAX_LOG_ENTRIES_PER_SECOND, MAX_TIMER_MS } from "./limits.ts";
import { firstLine } from "./lines.ts";
import { type Failed, failed, failureOf, toResponse } from "./results.ts";
import type { End, ServerProcess } from "./server_process.ts";
import { ServerSupervisor } from "./server_supervisor.ts";
import type {
  ComputeHealth,
  ComputeLimits,
  ComputeRequest,
  ComputeResult,
  ComputeServer,
  ComputeServerOptions,
  ComputeSocketResult,
} from "./types.ts";
import { openSocket } from "./websocket/open_socket.ts";
import type { ProcessLog } from "./wire.ts";

/**
 * Maximum time between a broken connection, which is the first sign that a process has exited, and
 * the report of the reason, in milliseconds.
 */
const END_MS = 500;

/**
 * The same time, but for a process that accepts no connections or does not react. Such a process
 * has probably exited, or is about to exit.
 */
const LATE_END_MS = 5000;

interface Entered {
  readonly server: ServerProcess;
  /** Releases the slot for another request, although this request continues. */
  readonly release: Release;
  /** Call it when the request is over, to release its slot. */
  readonly over: () => void;
}

class Server implements ComputeServer {
  readonly #limits: ComputeLimits;
  readonly #gate: ConcurrencyGate;
  readonly #sockets: SocketCount;
  readonly #supervisor: ServerSupervisor;
  /** IDs of the current requests and sockets. */
  readonly #requests = new Set<string>();
  readonly #lines = new LineLimit(MAX_LOG_ENTRIES_PER_SECOND);
  #closed = false;
  #emptied: (() => void) | undefined;

  readonly #options: ComputeServerOptions;

  constructor(options: ComputeServerOptions) {
    this.#options = options;
    const limits = { ...DEFAULT_COMPUTE_LIMITS, ...options.limits };
    this.#limits = { ...limits, timeoutMs: Math.min(limits.timeoutMs, MAX_TIMER_MS) };
    this.#gate = new ConcurrencyGate(this.#limits);
    this.#sockets = new SocketCount(this.#limits.maxSockets);
    this.#supervisor = new ServerSupervisor({
      server: options,
      limits: this.#limits,
      log: (entry) => this.#log(entry),
      busy: () => this.#isBusy,
    });
  }

  /** ID of the running process. Tests send it signals. */
  get pid(): number | undefined {
    return this.#supervisor.pid;
  }

  async fetch(request: ComputeRequest): Promise<ComputeResult> {
    const { timeoutMs } = this.#limits;
    for (let isFirst = true;; isFirst = false) {
      const entering = this.#enter(request);
      const entered = entering instanceof Promise ? await entering : entering;
      if ("type" in entered) return entered;
      const { server, over } = entered;
      try {
        const answer = await server.client.send(request, { timeoutMs, over });
        return { type: "response", response: toResponse(answer) };
      } catch (error) {
        if (isFirst && await endedBefore(error, server)) continue;
        return await this.#explain(error, server, request);
      }
    }
  }

  async connect(request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult> {
    const decision = decideSocket(this.#sockets, this.#options.sockets);
    if (decision.type === "refuse") return failed("overloaded", decision.message);
    const { timeoutMs } = this.#limits;
    for (let isFirst = true;; isFirst = false) {
      const leave = this.#enterSocket();
      const entered = await this.#enter(request);
      if ("type" in entered) {
        leave();
        return entered;
      }
      const { server, release } = entered;
      const over = (): void => {
        entered.over();
        leave();
      };
      try {
        const result = await openSocket(request, { dial: server.dial, timeoutMs, over });
        if (result.type === "open") release();
        else leave();
        return result;
      } catch (error) {
        over();
        if (isFirst && await endedBefore(error, server)) continue;
        return await this.#explain(error, server, request);
      }
    }
  }

  async start(): Promise<ComputeHealth> {
    if (this.#closed) return { healthy: false, reason: "The deployment has been shut down" };
    const began = performance.now();
    const found = await this.#supervisor.find();
    return "problem" in found
      ? { healthy: false, reason: found.problem }
      : { healthy: true, latencyMs: performance.now() - began };
  }

  check(): Promise<ComputeHealth> {
    return this.#supervisor.check();
  }

  async drain(milliseconds: number): Promise<void> {
    this.#closed = true;
    if (this.#isBusy) {
      await within(new Promise<void>((resolve) => this.#emptied = resolve), milliseconds);
    }
    await this.#supervisor.close(milliseconds);
  }

  /** True while there are requests or sockets. */
  get #isBusy(): boolean {
    return this.#gate.running > 0 || this.#sockets.open > 0;
  }

  /** Call it when a request or socket is over. */
  #settle(): void {
    if (this.#isBusy) return;
    this.#emptied?.();
    this.#supervisor.becameIdle();
  }

  /**
   * Takes a slot for a socket of this server. The socket also counts toward the sockets of all
   * servers.
   */
  #enterSocket(): () => void {
    const places = [this.#sockets.enter(), this.#options.sockets?.enter()];
    return () => {
      for (const leave of places) leave?.();
      this.#settle();
    };
  }

  /**
   * Takes a slot for a request and a running server. Does not return a promise if both are
   * available now.
   */
  #enter(request: Omit<ComputeRequest, "body">): Failed | Entered | Promise<Failed | Entered> {
    if (this.#closed) return failed("cannot_start", "The deployment has been shut down");
    const place = this.#gate.enter();
    if (place === undefined) {
      return failed("overloaded", "Too many requests are waiting for the server");
    }
    const { running } = this.#supervisor;
    if (typeof place !== "function" || running?.listens !== true) {
      return this.#enterLater(request, place);
    }
    return { server: running, release: place, over: this.#begin(request, place) };
  }

  /** Takes a slot and a server like `#enter()`, but waits for a slot or a server. */
  async #enterLater(
    request: Omit<ComputeRequest, "body">,
    place: Release | Promise<Release>,
  ): Promise<Failed | Entered> {
    const release = typeof place === "function"
      ? place
      : await waitForPlace(place, this.#limits.timeoutMs);
    if (release === undefined) return failed("overloaded", "Waited too long for the server");
    const over = this.#begin(request, release);
    const { running } = this.#supervisor;
    const found = running?.listens === true ? { server: running } : await this.#supervisor.find();
    if ("problem" in found) {
      over();
      return failed(found.reason, found.problem);
    }
    if (resolveSignal(request.signal)?.aborted === true) {
      over();
      return failed("aborted", "The request was aborted");
    }
    return { server: found.server, release, over };
  }

  /** Starts a request, which lasts until the returned function is called. */
  #begin({ requestId }: Omit<ComputeRequest, "body">, release: Release): () => void {
    this.#requests.add(requestId);
    return () => {
      release();
      this.#requests.delete(requestId);
      this.#settle();
    };
  }

  async #explain(
    error: unknown,
    server: ServerProcess,
    { method, target, requestId }: Pick<ComputeRequest, "method" | "target" | "requestId">,
  ): Promise<Failed> {
    const failure = failureOf(error, this.#limits.timeoutMs);
    if (failure.reason === "aborted") return failure;
    // If the process exits now, the log still contains this request.
    this.#requests.add(requestId);
    const end = failure.reason === "timeout" ? server.end : await findEnd(server);
    this.#requests.delete(requestId);
    if (end !== undefined) return failed(end.reason, firstLine(end.message));
    const path = target.split("?", 1)[0];
    this.#log({ level: "error", requestId, message: `${method} ${path}: ${failure.message}` });
    if (failure.reason === "timeout") this.#supervisor.probe(server).catch(() => {});
    return failure;
  }

  /** The ID of the current request, if it is the only one. */
  get #only(): string | undefined {
    const [only] = this.#requests.size === 1 ? this.#requests : [];
    return only;
  }

  #log({ level, message, requestId }: ProcessLog): void {
    const time = (this.#options.now ?? Date.now)();
    const { passes, dropped } = this.#lines.take(time);
    if (dropped > 0) {
      this.#options.log({
        time,
        level: "warn",
        message: `${formatCount(dropped, "more line")} dropped`,
      });
    }
    if (!passes) return;
    const id = requestId ?? this.#only;
    this.#options.log({ time, level, message, requestId: id });
  }
}

/**
 * Returns how the process behind a broken connection exited, or `undefined` if it is still running.
 */
async function findEnd(server: ServerProcess): Promise<End | undefined> {
  const end = await server.endWithin(END_MS);
  if (end !== undefined) return end;
  // On a busy machine, the process takes longer to exit, and does not respond until then.
  await server.ping(LATE_END_MS);
  return server.end;
}

/**
 * Returns whether the process exited before it accepted the request. If so, the next process can
 * take the request.
 */
async function endedBefore(error: unknown, server: ServerProcess): Promise<boolean> {
  return error instanceof OutboundError && error.code === "connect_failed" &&
    await server.endWithin(LATE_END_MS) !== undefined;
}

/** Creates the server of a COMPUTE layer. Nothing runs before the first request. */
export function createComputeServer(options: ComputeServerOptions): ComputeServer {
  return new Server(options);
}
