/**
 * One process of a server, from its start to its end: whether it listens,
 * reacts, and how much memory it takes.
 *
 * @module
 */
import type { Frame } from "../functions/frame.ts";
import { residentBytes } from "../functions/running_process.ts";
import { MEMORY_POLL_MS } from "./limits.ts";
import { parseBooted, parseEnding, parseLog } from "./parse_wire.ts";
import type { RunningServer } from "./running_server.ts";
import { ServerClient } from "./server_client.ts";
import type { ComputeFailure } from "./types.ts";
import { ComputeFrame, type ProcessLog, type ServerStart, toPayload } from "./wire.ts";

/** How a process came to its end. */
export interface End {
  readonly reason: ComputeFailure;
  readonly message: string;
}

export interface GenerationOptions {
  readonly process: RunningServer;
  readonly start: ServerStart;
  readonly log: (entry: ProcessLog) => void;
  /** Called once, as soon as the end is certain. */
  readonly ending: (end: End) => void;
}

/** Memory of the runtime until the process tells it, in bytes. */
const RUNTIME_BYTES = 80 * 1024 * 1024;

/** What comes in time; `undefined` where it does not. */
async function within<T>(coming: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const first = await Promise.race([coming, late]);
  clearTimeout(timer);
  return first;
}

export class Generation {
  readonly client: ServerClient;
  /** Resolves when the process has ended. */
  readonly ended: Promise<End>;
  /** Resolves when the server listens; `false` where it ended before. */
  readonly listening: Promise<boolean>;
  readonly startedAt = performance.now();
  #end: End | undefined;
  #listens = false;
  #heard!: (listening: boolean) => void;
  #baseBytes: number | undefined;
  readonly #pings = new Map<number, () => void>();
  #nextPing = 1;

  constructor(private readonly options: GenerationOptions) {
    this.client = new ServerClient(options.process.dial);
    this.listening = new Promise((resolve) => this.#heard = resolve);
    this.ended = this.#serve();
    options.process.connection.send({
      type: ComputeFrame.start,
      worker: 0,
      id: 0,
      payload: toPayload(options.start),
    });
  }

  get pid(): number {
    return this.options.process.pid;
  }

  /** True since the server has listened. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Opens a connection to the server. */
  get dial(): () => Promise<Deno.Conn> {
    return this.options.process.dial;
  }

  /** Known as soon as the end is certain, before the process is gone. */
  get end(): End | undefined {
    return this.#end;
  }

  /** Resident memory above what the runtime itself took, in MiB. */
  get usedMb(): number {
    const bytes = residentBytes(this.pid);
    return bytes === undefined
      ? 0
      : Math.max(0, bytes - (this.#baseBytes ?? RUNTIME_BYTES)) / 1024 / 1024;
  }

  /** How the process ended, where it does within so many milliseconds. */
  async endWithin(milliseconds: number): Promise<End | undefined> {
    return this.#end ?? await within(this.ended, milliseconds);
  }

  /** Ends the process at once; the first reason stands. */
  stop(end: End): void {
    this.#settle(end);
    this.options.process.kill();
  }

  /**
   * Lets the server end itself, as long as that takes no longer and no more
   * memory than allowed; then ends the process.
   */
  async retire(
    end: End,
    { withinMs, memoryMb }: { readonly withinMs: number; readonly memoryMb: number },
  ): Promise<void> {
    this.#settle(end);
    const until = performance.now() + withinMs;
    if (withinMs > 0) {
      this.options.process.connection.send({ type: ComputeFrame.terminate, worker: 0, id: 0 });
    }
    while (performance.now() < until && this.usedMb <= memoryMb) {
      if (await within(this.ended, MEMORY_POLL_MS) !== undefined) return;
    }
    this.options.process.kill();
    await this.ended;
  }

  #settle(end: End): End {
    if (this.#end !== undefined) return this.#end;
    this.#end = end;
    this.options.ending(end);
    return end;
  }

  /** Time until the server's thread reacted, in milliseconds; `undefined` where it did not. */
  async ping(withinMs: number): Promise<number | undefined> {
    const id = this.#nextPing++;
    const asked = performance.now();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    this.#pings.set(id, () => resolve(true));
    this.options.process.connection.send({ type: ComputeFrame.ping, worker: 0, id });
    const reacted = await promise;
    clearTimeout(timer);
    this.#pings.delete(id);
    return reacted ? performance.now() - asked : undefined;
  }

  async #serve(): Promise<End> {
    const { process } = this.options;
    await process.connection.receive((frame) => this.#take(frame)).catch((error) => {
      this.#settle({ reason: "crashed", message: `The process of the server failed: ${error}` });
    });
    process.kill();
    process.connection.close();
    const words = await process.ended;
    this.client.close();
    const end = this.#end ?? this.#settle(crash(words));
    this.#heard(false);
    for (const reacted of this.#pings.values()) reacted();
    return end;
  }

  #take({ type, id, payload }: Frame): void {
    switch (type) {
      case ComputeFrame.booted:
        // Said once, before the server's code is there to say it.
        this.#baseBytes ??= parseBooted(payload)?.residentBytes ?? RUNTIME_BYTES;
        return;
      case ComputeFrame.listening:
        this.#listens = true;
        return this.#heard(true);
      case ComputeFrame.pong:
        return this.#pings.get(id)?.();
      case ComputeFrame.log: {
        const entry = parseLog(payload);
        if (entry !== undefined) this.options.log(entry);
        return;
      }
      case ComputeFrame.ended: {
        // It was told to end, and has nothing more to say.
        if (this.#end !== undefined) return this.options.process.kill();
        const message = parseEnding(payload)?.message ?? "The server has ended";
        this.#settle({ reason: this.#listens ? "crashed" : "cannot_start", message });
      }
    }
  }
}

/** What the last words of a process tell about its end. */
export function crash(words: string): End {
  return /out of memory|OOM|Allocation failed/i.test(words)
    ? { reason: "memory", message: "The server ran out of memory" }
    : { reason: "crashed", message: `The process of the server has ended: ${words}` };
}
