/**
 * The connections of a process's workers. Each worker has one of its own and
 * says the key first that was made for it, so that the platform knows by the
 * connection who speaks.
 *
 * @module
 */
import { equalInConstantTime } from "../../lib/hash.ts";
import { FairShare, type Frame, FrameConnection } from "../process/frames/mod.ts";
import { MAX_WORKER_BACKLOG_BYTES } from "./limits.ts";
import { FunctionFrame, MAX_UPWARD_BYTES } from "./wire.ts";

/** Time in which a connection must say who it is, in milliseconds. */
const HELLO_MS = 5000;

/** Pause after a connection that could not be taken, in milliseconds. */
const ACCEPT_AGAIN_MS = 100;

const KEY_BYTES = 32;

/** What is told about a worker's connection. */
export interface WorkerEvents {
  /** The worker is there. */
  opened(connection: FrameConnection): void;
  take(frame: Frame): void;
  /** Its connection has ended; with a problem where the worker broke the protocol. */
  closed(problem: string | undefined): void;
}

interface Expected {
  readonly key: string;
  readonly line: WorkerEvents;
}

export interface WorkerConnectionsOptions {
  readonly helloMs?: number;
}

export class WorkerConnections {
  readonly #expected = new Map<number, Expected>();
  readonly #open = new Map<number, FrameConnection>();
  /** Connections that have not said yet who they are. */
  readonly #unknown = new Set<FrameConnection>();
  /** Of the platform's time: the workers of a deployment share it. */
  readonly #share = new FairShare();
  #closed = false;

  constructor(
    private readonly listener: Pick<Deno.UnixListener, "accept" | "close">,
    private readonly options: WorkerConnectionsOptions = {},
  ) {
    void this.#acceptAll();
  }

  /** Lets a worker in, once; returns the key by which it is known. */
  expect(worker: number, line: WorkerEvents): string {
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
    this.#expected.set(worker, { key, line });
    return key;
  }

  /** Ends a worker's connection, or waits for it no longer. */
  drop(worker: number): void {
    this.#expected.delete(worker);
    this.#open.get(worker)?.close();
    this.#open.delete(worker);
  }

  /** Ends all connections, and takes no more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.listener.close();
    for (const connection of [...this.#unknown, ...this.#open.values()]) connection.close();
    this.#expected.clear();
    this.#open.clear();
  }

  async #acceptAll(): Promise<void> {
    while (!this.#closed) {
      try {
        void this.#serve(await this.listener.accept());
      } catch {
        // Closed, or the system is out of files for now.
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, ACCEPT_AGAIN_MS));
      }
    }
  }

  async #serve(conn: Deno.Conn): Promise<void> {
    // No more can be at the door than are asked for, so that strangers cost nothing.
    if (this.#closed || this.#unknown.size >= this.#expected.size) return conn.close();
    const connection = new FrameConnection(conn, MAX_UPWARD_BYTES, {
      maxQueued: MAX_WORKER_BACKLOG_BYTES,
      share: this.#share,
    });
    this.#unknown.add(connection);
    const late = setTimeout(() => connection.close(), this.options.helloMs ?? HELLO_MS);
    const known = (): void => {
      clearTimeout(late);
      this.#unknown.delete(connection);
    };
    let line: WorkerEvents | undefined;
    let problem: string | undefined;
    try {
      await connection.receive((frame) => {
        if (line !== undefined) return line.take(frame);
        known();
        line = this.#welcome(frame, connection);
        if (line === undefined) connection.close();
        else line.opened(connection);
      });
    } catch (error) {
      problem = error instanceof Error ? error.message : "The connection failed";
    }
    known();
    connection.close();
    line?.closed(problem);
  }

  #welcome(
    { type, worker, payload }: Frame,
    connection: FrameConnection,
  ): WorkerEvents | undefined {
    const expected = type === FunctionFrame.hello ? this.#expected.get(worker) : undefined;
    if (expected === undefined) return undefined;
    if (!equalInConstantTime(new TextDecoder().decode(payload), expected.key)) return undefined;
    this.#expected.delete(worker);
    this.#open.set(worker, connection);
    return expected.line;
  }
}
