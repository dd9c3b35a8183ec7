/** @module Represents an embedded database's process in the platform. */
import { join } from "node:path";
import { readPieces } from "../../lib/read_pieces.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import {
  concat,
  encodeFrame,
  type Frame,
  FrameReader,
} from "../../runtime/process/frames/frame.ts";
import { fromPayload, toPayload } from "../../runtime/process/frames/payload.ts";
import type { ProcessCommand } from "../../runtime/process/self_command.ts";
import { EngineError, type StartupParameters } from "../types.ts";
import { EmbeddedSession } from "./embedded_session.ts";
import {
  DatabaseFrame,
  type DumpHead,
  type FailedHead,
  MAX_FRAME_BYTES,
  type ReadyHead,
  type SetupHead,
} from "./wire.ts";

/** Interval at which waiting sessions are checked, in milliseconds. */
const TICK_MS = 1000;

/** Maximum time that a client's unread results can keep the database waiting, in milliseconds. */
const UNREAD_MS = 30_000;

/** How long the database may take to stop, in milliseconds. */
const STOP_MS = 20_000;

/** Maximum number of characters to keep from the process's last output. */
const LAST_WORDS = 600;

const ENDED = new EngineError("The database process exited", "57P01");

/** A dump that the process is writing. */
interface Dump {
  take(bytes: Uint8Array<ArrayBuffer>): void;
  readonly whole: PromiseWithResolvers<void>;
}

interface Process {
  readonly child: Deno.ChildProcess;
  readonly listener: Deno.UnixListener;
  readonly folder: string;
}

export class RunningDatabase {
  readonly #sessions = new Map<number, EmbeddedSession>();
  readonly #ready = Promise.withResolvers<ReadyHead>();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #outgoing: Uint8Array[] = [];
  /** Resolves with the connection for cancel requests. Closing the connection stops the process. */
  readonly #control: Promise<Deno.Conn>;
  readonly #ticks: ReturnType<typeof setInterval>;
  /** Resolves when the process has exited and released its files. */
  readonly ended: Promise<void>;
  #held: (() => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #dump: Dump | undefined;
  #lastId = 0;
  #isEnded = false;
  #words = "";

  readonly #process: Process;

  private constructor(process: Process, setup: SetupHead) {
    this.#process = process;
    const { child, listener } = process;
    this.#ready.promise.catch(() => {});
    this.#writer = child.stdin.getWriter();
    this.#control = listener.accept();
    this.#control.catch(() => {});
    this.#ticks = setInterval(() => this.#tick(), TICK_MS);
    this.ended = this.#attend();
    this.#send(DatabaseFrame.setup, 0, toPayload(setup));
  }

  /** Starts a process. `ready` reports whether it can open the database. */
  static async start(
    command: (socketPath: string) => ProcessCommand,
    { setup, prefix }: {
      readonly setup: SetupHead;
      /** Prefix of the folder for the process's socket, in the system's temporary folder. */
      readonly prefix: string;
    },
  ): Promise<RunningDatabase> {
    const folder = await Deno.makeTempDir({ prefix });
    const path = join(folder, "s");
    const listener = Deno.listen({ transport: "unix", path });
    const { command: program, args, env } = command(path);
    const child = spawnProgram(program, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
    return new RunningDatabase({ child, listener, folder }, setup);
  }

  get pid(): number {
    return this.#process.child.pid;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** @throws {EngineError} If the process cannot open the database */
  get ready(): Promise<ReadyHead> {
    return this.#ready.promise;
  }

  /** Opens a session. @throws {EngineError} */
  async connect(startup: StartupParameters): Promise<EmbeddedSession> {
    await this.ready;
    const id = ++this.#lastId;
    const session = new EmbeddedSession({
      send: (bytes) => this.#send(DatabaseFrame.data, id, bytes),
      end: () => {
        this.#sessions.delete(id);
        this.#send(DatabaseFrame.end, id);
        // Nobody needs the result of a disconnected client's statement.
        this.#cancel(id).catch(() => {});
      },
      cancel: () => this.#cancel(id),
    });
    this.#sessions.set(id, session);
    this.#send(DatabaseFrame.open, id, toPayload([...startup]));
    await session.greeted;
    return session;
  }

  /** Runs `work` while the files do not change. Only one such call runs at a time. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(() => this.#hold(work));
  }

  /**
   * Runs `work` when earlier work has finished, because copies and dumps must run one after the
   * other.
   */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }

  async #hold<T>(work: () => Promise<T>): Promise<T> {
    await this.ready;
    const held = new Promise<void>((resolve) => this.#held = resolve);
    this.#send(DatabaseFrame.hold, 0);
    await Promise.race([held, this.ended]);
    try {
      return await work();
    } finally {
      this.#send(DatabaseFrame.resume, 0);
    }
  }

  /**
   * Dumps the database. If the reader disconnects, the process still finishes the dump, but the
   * output is discarded.
   */
  dump(head: DumpHead): ReadableStream<Uint8Array<ArrayBuffer>> {
    let hasLeft = false;
    return new ReadableStream({
      start: (controller) => {
        void this.#alone(async () => {
          if (hasLeft) return;
          const whole = Promise.withResolvers<void>();
          this.#dump = { take: (bytes) => hasLeft || controller.enqueue(bytes), whole };
          this.#send(DatabaseFrame.dump, 0, toPayload(head));
          await Promise.race([whole.promise, this.ended.then(() => Promise.reject(ENDED))]);
          if (!hasLeft) controller.close();
        }).catch((error) => hasLeft || controller.error(error));
      },
      cancel() {
        hasLeft = true;
      },
    });
  }

  /** Closes all sessions, flushes all data, and stops the process. */
  async stop(): Promise<void> {
    for (const session of this.#sessions.values()) session.ended();
    this.#sessions.clear();
    this.#send(DatabaseFrame.stop, 0);
    const late = setTimeout(() => this.kill(), STOP_MS);
    await this.ended;
    clearTimeout(late);
  }

  /** Kills the process immediately. Committed data is kept. */
  kill(): void {
    try {
      this.#process.child.kill("SIGKILL");
    } catch { /* it has exited already */ }
  }

  #tick(): void {
    if (this.#sessions.size > 0) this.#send(DatabaseFrame.tick, 0);
  }

  async #cancel(id: number): Promise<void> {
    if (this.#isEnded) return;
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, id);
    await (await this.#control).write(bytes).catch(() => {});
  }

  #send(type: number, id: number, payload?: Uint8Array): void {
    if (this.#isEnded) return;
    this.#outgoing.push(encodeFrame({ type, worker: 0, id, payload }));
    if (this.#outgoing.length === 1) queueMicrotask(() => this.#flush());
  }

  /** Writes the frames of all clients together if their bytes arrived at the same time. */
  #flush(): void {
    const bytes = concat(this.#outgoing);
    this.#outgoing = [];
    this.#writer.write(bytes).catch(() => {});
  }

  async #attend(): Promise<void> {
    const { child, listener, folder } = this.#process;
    const words = this.#readWords(child.stderr);
    try {
      const frames = new FrameReader(MAX_FRAME_BYTES);
      for await (const piece of readPieces(child.stdout)) {
        for (const frame of frames.feed(piece)) await this.#take(frame);
      }
    } catch (error) {
      this.#words = String(error);
    }
    this.kill();
    const status = await child.status;
    await words;
    this.#isEnded = true;
    clearInterval(this.#ticks);
    listener.close();
    void this.#control.then((conn) => conn.close(), () => {});
    await this.#writer.close().catch(() => {});
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    this.#lose(`${this.#words} (${status.signal ?? `code ${status.code}`})`.trim());
  }

  async #readWords(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      this.#words = (this.#words + decoder.decode(chunk, { stream: true })).slice(-LAST_WORDS);
    }
  }

  #lose(words: string): void {
    const message = `The database process exited: ${words}`;
    const error = new EngineError(message, "57P01");
    this.#ready.reject(new EngineError(message, "57P03"));
    for (const session of this.#sessions.values()) session.ended(error);
    this.#sessions.clear();
    this.#dump?.whole.reject(error);
  }

  async #take({ type, id, payload }: Frame): Promise<void> {
    switch (type) {
      case DatabaseFrame.ready:
        return this.#ready.resolve(fromPayload<ReadyHead>(payload));
      case DatabaseFrame.failed: {
        const { message, sqlState } = fromPayload<FailedHead>(payload);
        return this.#ready.reject(new EngineError(message, sqlState));
      }
      case DatabaseFrame.output:
        return await this.#output(id, payload);
      case DatabaseFrame.ended:
        this.#sessions.get(id)?.ended();
        this.#sessions.delete(id);
        return;
      case DatabaseFrame.credit:
        return this.#sessions.get(id)?.credit(new DataView(payload.buffer).getUint32(0, true));
      case DatabaseFrame.held:
        return this.#held?.();
      case DatabaseFrame.dumped:
        return void this.#dump?.take(payload);
      case DatabaseFrame.dumpEnded:
        return this.#endDump(payload);
    }
  }

  #endDump(payload: Uint8Array): void {
    const { whole } = this.#dump ?? {};
    this.#dump = undefined;
    if (payload.byteLength === 0) return whole?.resolve();
    const { message, sqlState } = fromPayload<FailedHead>(payload);
    whole?.reject(new EngineError(message, sqlState));
  }

  /**
   * Passes `payload` on. Limits how long a client that does not read its data can block the
   * database.
   */
  async #output(id: number, payload: Uint8Array<ArrayBuffer>): Promise<void> {
    const session = this.#sessions.get(id);
    const drained = session?.take(payload);
    if (session === undefined || drained === undefined) return;
    const late = setTimeout(() => session.close().catch(() => {}), UNREAD_MS);
    await drained;
    clearTimeout(late);
  }
}
