/**
 * @module Tracks a server's process: whether it listens and reacts, and how much memory it
 * uses.
 */
import type { Frame } from "../process/frames/frame.ts";
import { toPayload } from "../process/frames/payload.ts";
import { attendProcess } from "../process/attend_process.ts";
import { residentBytes } from "../process/resident_memory.ts";
import type { SupervisedProcess } from "../process/process_supervisor.ts";
import { type Timers, within } from "../process/timers.ts";
import type { Revalidate } from "./engine/revalidation.ts";
import { MEMORY_POLL_MS } from "./limits.ts";
import { parseBooted, parseDialled, parseEnding, parseListening, parseLog } from "./parse_wire.ts";
import { OwnConnections } from "./own_connections.ts";
import { Revalidations } from "./revalidations.ts";
import { ServerClient } from "./server_client.ts";
import type { RunningServer } from "./start_server.ts";
import type { ComputeFailure } from "./types.ts";
import { type Booted, ComputeFrame, type ProcessLog, type ServerStart } from "./wire.ts";

/** How a process exited. */
export interface End {
  readonly reason: ComputeFailure;
  readonly message: string;
}

interface ServerProcessOptions {
  readonly process: RunningServer;
  readonly timers: Timers;
  readonly start: ServerStart;
  readonly log: (entry: ProcessLog) => void;
  readonly revalidate?: Revalidate | undefined;
  /** Called once, as soon as it is certain that the process will exit. */
  readonly ending: (end: End) => void;
}

const OUT_OF_MEMORY: End = { reason: "memory", message: "The server ran out of memory" };

/**
 * Assumed memory of the runtime itself until the process has reported the actual amount, in bytes.
 */
const RUNTIME_BYTES = 80 * 1024 * 1024;

export class ServerProcess implements SupervisedProcess {
  readonly client: ServerClient;
  /** Resolves when the server listens; `false` if it exited before that. */
  readonly listening: Promise<boolean>;
  readonly startedAt: number;
  /** Resolves when the process has exited. */
  readonly gone: Promise<End>;
  #end: End | undefined;
  #listens = false;
  #heard!: (listening: boolean) => void;
  #booted: Booted | undefined;
  #dial: () => Promise<Deno.Conn>;
  readonly #pings = new Map<number, () => void>();
  #nextPing = 1;
  readonly #revalidations: Revalidations;
  readonly #own: OwnConnections;

  readonly #options: ServerProcessOptions;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
    this.startedAt = options.timers.now();
    this.#revalidations = new Revalidations(options.timers.now, options.revalidate);
    this.client = new ServerClient(() => this.#dial());
    this.#dial = options.process.dial;
    this.listening = new Promise((resolve) => this.#heard = resolve);
    this.#own = new OwnConnections(() => this.#dial());
    this.gone = this.#attend();
    const { start } = options;
    const routes = [this.#own.routeOf(start.port), ...start.routes];
    this.#send(ComputeFrame.start, 0, { ...start, routes } satisfies ServerStart);
  }

  get pid(): number {
    return this.#options.process.pid;
  }

  /** True once the server has listened. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Name and version of the runtime, once it has reported them. */
  get runtime(): string | undefined {
    return this.#booted?.runtime;
  }

  /** Opens a connection to the server. */
  get dial(): () => Promise<Deno.Conn> {
    return this.#dial;
  }

  /**
   * How the process exits. This is known as soon as the exit is certain, before it has happened.
   */
  get end(): End | undefined {
    return this.#end;
  }

  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  /** Resident memory in addition to the runtime's own, in MiB. */
  get usedMb(): number {
    const { pid = this.pid, residentBytes: base = RUNTIME_BYTES } = this.#booted ?? {};
    const bytes = residentBytes(pid);
    return bytes === undefined ? 0 : Math.max(0, bytes - base) / 1024 / 1024;
  }

  /** Returns how the process exited, if it exits within the given number of milliseconds. */
  async endWithin(milliseconds: number): Promise<End | undefined> {
    return this.#end ?? await within(this.gone, milliseconds) ?? this.#end;
  }

  /** Kills the process immediately. If it is called several times, the first reason is kept. */
  stop(end: End): void {
    this.#settle(end);
    this.#options.process.kill();
  }

  /** Asks the server to stop, and kills the process if that takes too much time or memory. */
  async retire(
    end: End,
    { withinMs, memoryMb }: { readonly withinMs: number; readonly memoryMb: number },
  ): Promise<void> {
    this.#settle(end);
    const until = performance.now() + withinMs;
    if (withinMs > 0) {
      this.#send(ComputeFrame.terminate, 0);
    }
    while (performance.now() < until && this.usedMb <= memoryMb) {
      if (await within(this.gone, MEMORY_POLL_MS) !== undefined) return;
    }
    this.#options.process.kill();
    await this.gone;
  }

  #send(type: number, id: number, head?: object): void {
    this.#options.process.connection.send({
      type,
      worker: 0,
      id,
      ...(head === undefined ? {} : { payload: toPayload(head) }),
    });
  }

  #settle(end: End): End {
    if (this.#end !== undefined) return this.#end;
    const isCause = end.reason !== "aborted" && this.#options.process.ranOut();
    this.#end = isCause ? OUT_OF_MEMORY : end;
    this.#options.ending(this.#end);
    return this.#end;
  }

  /**
   * Pings the server's thread. Returns the time until it reacted, in milliseconds, or `undefined`
   * if it did not react.
   */
  async ping(withinMs: number): Promise<number | undefined> {
    const { timers } = this.#options;
    const id = this.#nextPing++;
    const asked = timers.now();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const inTime = timers.after(withinMs, () => resolve(false));
    this.#pings.set(id, () => resolve(true));
    this.#send(ComputeFrame.ping, id);
    const reacted = await promise;
    inTime();
    this.#pings.delete(id);
    return reacted ? timers.now() - asked : undefined;
  }

  async #attend(): Promise<End> {
    const words = await attendProcess(this.#options.process, {
      take: (frame) => this.#take(frame),
      failed: (error) => {
        const message = `The server's process failed: ${error}`;
        this.#settle({ reason: "crashed", message });
      },
    });
    this.client.close();
    this.#own.close();
    const end = this.#end ?? this.#settle(crash(words));
    this.#heard(false);
    for (const reacted of this.#pings.values()) reacted();
    return end;
  }

  #take({ type, id, payload }: Frame): void {
    switch (type) {
      case ComputeFrame.booted:
        // Only the first such frame is accepted, because a later frame may come from the server's
        // code.
        this.#booted ??= parseBooted(payload);
        return;
      case ComputeFrame.listening: {
        const { greets, address } = parseListening(payload);
        // The server now listens at another address, but open connections lead to the previous
        // address.
        if (this.#listens) this.client.reconnect();
        this.#listens = true;
        this.client.greets = this.#own.greets = greets;
        // On Node, project code sends this frame, so its address is ignored.
        if (address !== undefined && this.#options.start.program !== undefined) {
          this.#dial = () => dialProgram(address);
        }
        return this.#heard(true);
      }
      case ComputeFrame.pong:
        return this.#pings.get(id)?.();
      case ComputeFrame.log: {
        const entry = parseLog(payload);
        if (entry !== undefined) this.#options.log(entry);
        return;
      }
      case ComputeFrame.dialled: {
        const port = parseDialled(payload);
        if (port !== undefined) this.#own.announce(port);
        return;
      }
      case ComputeFrame.revalidate:
        this.#revalidations.answer(payload).then(
          (answer) => this.#send(ComputeFrame.revalidated, id, answer),
          () => this.#send(ComputeFrame.revalidated, id, { problem: "The platform failed" }),
        );
        return;
      case ComputeFrame.ended: {
        // The platform is already stopping the process, so the process's own reason no longer
        // matters.
        if (this.#end !== undefined) return this.#options.process.kill();
        const message = parseEnding(payload)?.message ?? "The server has stopped";
        this.#settle({ reason: this.#listens ? "crashed" : "cannot_start", message });
      }
    }
  }
}

async function dialProgram(address: Deno.ConnectOptions): Promise<Deno.Conn> {
  const conn = await Deno.connect(address);
  conn.setNoDelay(true);
  return conn;
}

/** Returns why a process exited, according to its last messages. */
export function crash(words: string): End {
  return /out of memory|OOM|Allocation failed/i.test(words)
    ? OUT_OF_MEMORY
    : { reason: "crashed", message: `The server process exited: ${words}` };
}
