/**
 * @module The connections of a process's workers. Each worker has its own connection, and first
 * sends the key that was created for it. From then on, the connection identifies the worker.
 */
import { equalInConstantTime } from "../../lib/hash.ts";
import { FairShare } from "../process/frames/fair_share.ts";
import type { Frame } from "../process/frames/frame.ts";
import { FrameConnection } from "../process/frames/frame_connection.ts";
import { MAX_WORKER_BACKLOG_BYTES } from "./limits.ts";
import { FunctionFrame, MAX_UPWARD_BYTES } from "./wire.ts";

/** Maximum time for a connection to identify itself, in milliseconds. */
const HELLO_MS = 5000;

/** Pause after a connection that could not be accepted, in milliseconds. */
const ACCEPT_AGAIN_MS = 100;

const KEY_BYTES = 32;

interface WorkerEvents {
  opened(connection: FrameConnection): void;
  take(frame: Frame): void;
  /** Called when the connection has closed, with a problem if the worker violated the protocol. */
  closed(problem: string | undefined): void;
}

interface Expected {
  readonly key: string;
  readonly events: WorkerEvents;
}

interface WorkerConnectionsOptions {
  readonly helloMs?: number;
}

export class WorkerConnections {
  readonly #expected = new Map<number, Expected>();
  readonly #open = new Map<number, FrameConnection>();
  /** Connections that have not identified themselves yet. */
  readonly #unknown = new Set<FrameConnection>();
  /** Limits how much of the platform's time the frames of all workers together can take. */
  readonly #share = new FairShare();
  #closed = false;

  readonly #listener: Pick<Deno.UnixListener, "accept" | "close">;
  readonly #options: WorkerConnectionsOptions;

  constructor(
    listener: Pick<Deno.UnixListener, "accept" | "close">,
    options: WorkerConnectionsOptions = {},
  ) {
    this.#listener = listener;
    this.#options = options;
    this.#acceptAll().catch(() => this.close());
  }

  /** Allows a worker to connect once and returns the key that identifies it. */
  expect(worker: number, events: WorkerEvents): string {
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
    this.#expected.set(worker, { key, events });
    return key;
  }

  /** Closes a worker's connection, or stops waiting for it. */
  drop(worker: number): void {
    this.#expected.delete(worker);
    this.#open.get(worker)?.close();
    this.#open.delete(worker);
  }

  /** Closes all connections and accepts no more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    for (const connection of [...this.#unknown, ...this.#open.values()]) connection.close();
    this.#expected.clear();
    this.#open.clear();
  }

  async #acceptAll(): Promise<void> {
    while (!this.#closed) {
      try {
        const conn = await this.#listener.accept();
        this.#serve(conn).catch(() => conn.close());
      } catch {
        // Either the listener is closed, or the system is temporarily out of file descriptors.
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, ACCEPT_AGAIN_MS));
      }
    }
  }

  async #serve(conn: Deno.Conn): Promise<void> {
    // The number of waiting connections is limited to the number of expected workers, so further
    // connections cost nothing.
    if (this.#closed || this.#unknown.size >= this.#expected.size) return conn.close();
    const connection = new FrameConnection(conn, MAX_UPWARD_BYTES, {
      maxQueued: MAX_WORKER_BACKLOG_BYTES,
      share: this.#share,
    });
    this.#unknown.add(connection);
    const late = setTimeout(() => connection.close(), this.#options.helloMs ?? HELLO_MS);
    const known = (): void => {
      clearTimeout(late);
      this.#unknown.delete(connection);
    };
    let events: WorkerEvents | undefined;
    let problem: string | undefined;
    try {
      await connection.receive((frame) => {
        if (events !== undefined) return events.take(frame);
        known();
        events = this.#identify(frame, connection);
        if (events === undefined) connection.close();
        else events.opened(connection);
      });
    } catch (error) {
      problem = error instanceof Error ? error.message : "The connection failed";
    }
    known();
    connection.close();
    events?.closed(problem);
  }

  #identify(
    { type, worker, payload }: Frame,
    connection: FrameConnection,
  ): WorkerEvents | undefined {
    const expected = type === FunctionFrame.hello ? this.#expected.get(worker) : undefined;
    if (expected === undefined) return undefined;
    if (!equalInConstantTime(new TextDecoder().decode(payload), expected.key)) return undefined;
    this.#expected.delete(worker);
    this.#open.set(worker, connection);
    return expected.events;
  }
}
