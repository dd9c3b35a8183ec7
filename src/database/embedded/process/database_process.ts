/** @module A database in a separate process, which handles frames and schedules sessions. */
import { messageOf } from "../../../lib/error_message.ts";
import type { Frame } from "../../../runtime/process/frames/frame.ts";
import { fromPayload, toPayload } from "../../../runtime/process/frames/payload.ts";
import { BackendError, SharedBackend } from "../multiplex/backend.ts";
import {
  backendKey,
  errorField,
  type ErrorFields,
  errorResponse,
  join,
  type Message,
  writeMessage,
} from "../multiplex/messages.ts";
import { Multiplexer } from "../multiplex/multiplexer.ts";
import { LATE } from "../multiplex/waiting.ts";
import { DatabaseFrame, type DumpHead, MAX_FRAME_BYTES, SESSION_WINDOW } from "../wire.ts";
import { Autovacuum } from "./autovacuum.ts";
import { dumpDatabase } from "./dump_database.ts";
import type { Pipes } from "./pipes.ts";
import type { Postgres } from "./postgres.ts";
import type { Watch } from "./watch.ts";
import { OURSELVES } from "./watch_messages.ts";

/** Maximum output for one client in a frame, in bytes. */
const OUTPUT_BYTES = 32 * 1024;

/**
 * Number of a client's bytes that the process handles before it reports them to the platform, which
 * then sends more.
 */
const CREDIT_BYTES = SESSION_WINDOW / 4;

/** Number of messages that may have written data before a checkpoint shortens the log. */
const CHECKPOINT_AFTER = 20_000;
/**
 * Length of the log, in bytes, at which a checkpoint shortens it. The length is checked once per
 * second.
 */
const MAX_LOG_BYTES = 128 * 1024 * 1024;
const LOG_BYTES =
  `SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), redo_lsn)
  FROM pg_catalog.pg_control_checkpoint()`;

/** Replaces the error for a cancelled statement with the error for a statement that took too long. */
function explainLate(said: Message): Message {
  if (errorField(said, "C") !== LATE.sqlState) return said;
  return { type: "E", bytes: errorResponse(LATE) };
}

/** Explains to a client that the engine crashed during its statement. */
function explainBroken(error: unknown): ErrorFields {
  const hint = "Connect again. Committed data is safe.";
  // The runtime's stack, which the engine does not measure, has overflowed.
  if (error instanceof RangeError) {
    const message = "stack depth limit exceeded: the statement is nested too deeply";
    return { severity: "FATAL", sqlState: "54001", message, hint };
  }
  const message = `The statement crashed the embedded engine: ${messageOf(error)}`;
  return { severity: "FATAL", sqlState: "XX000", message, hint };
}

interface DatabaseProcessOptions {
  readonly watch: Watch;
  /** Locked during a checkpoint. */
  readonly checkpoints: Deno.FsFile;
  readonly database: string;
}

export class DatabaseProcess {
  readonly #clients: Multiplexer;
  /** Frames that are delayed while the database is paused or stopping. */
  #frames: Frame[] = [];
  readonly #dumps: DumpHead[] = [];
  /** Bytes of each client that were handled since the last report to the platform. */
  readonly #taken = new Map<number, number>();
  #output: Uint8Array[] = [];
  #outputOf = 0;
  #outputBytes = 0;
  #isEnding = false;
  #isTicking = false;
  #steps = 0;
  /** True if a second has passed since the log's length was last checked. */
  #isLogDue = false;
  readonly #vacuum: Autovacuum;
  readonly #own: SharedBackend;

  readonly #pipes: Pipes;
  readonly #postgres: Postgres;
  readonly #options: DatabaseProcessOptions;

  constructor(pipes: Pipes, postgres: Postgres, options: DatabaseProcessOptions) {
    this.#pipes = pipes;
    this.#postgres = postgres;
    this.#options = options;
    const { watch } = options;
    this.#clients = new Multiplexer({
      backend: {
        get settingsDigest() {
          return postgres.settingsDigest;
        },
        get settingNames() {
          return postgres.settingNames;
        },
        get simpleQueries() {
          return postgres.simpleQueries;
        },
        run: (message, hear, more) => {
          watch.begin(this.#clients.running, postgres.timeouts.statement);
          try {
            postgres.run(message, (said) => {
              hear(said.type === "E" && watch.isLate ? explainLate(said) : said);
            }, more);
          } catch (error) {
            // The error crashes the process, and the platform notifies the other clients.
            hear({ type: "E", bytes: errorResponse(explainBroken(error)) });
            this.#flushOutput();
            throw error;
          }
          watch.end();
        },
      },
      idleInTransactionMs: () => postgres.timeouts.idleInTransaction,
      outlet: {
        deliver: (client, bytes) => this.#deliver(client, bytes),
        ended: (client) => {
          this.#taken.delete(client);
          this.#send(DatabaseFrame.ended, client);
        },
        wait: () => this.#wait(),
        taken: (client, bytes) => this.#credit(client, bytes),
      },
      now: () => performance.now(),
      keyOf: (client) => backendKey(client, 0),
    });
    this.#clients.begin();
    this.#own = new SharedBackend(postgres);
    this.#vacuum = new Autovacuum({
      now: () => performance.now(),
      ask: (sql, limit) => {
        watch.begin(OURSELVES, limit);
        try {
          return this.#own.ask(sql);
        } finally {
          watch.end();
        }
      },
    });
  }

  /** Serves clients until the platform stops the database or disconnects. */
  async serve(): Promise<void> {
    while (!this.#isEnding) {
      while (this.#clients.step()) this.#countStep();
      const dump = this.#clients.isFree ? this.#dumps.shift() : undefined;
      if (dump !== undefined) await this.#dump(dump);
      else {
        if (this.#isTicking && this.#clients.isFree) {
          this.#cutLog();
          this.#vacuum.tick();
        }
        this.#isTicking = false;
        this.#wait();
      }
    }
    if (this.#clients.isFree) this.#vacuum.finish();
    this.#checkpoint();
    this.#flushOutput();
    this.#pipes.flush();
  }

  #countStep(): void {
    this.#vacuum.note();
    this.#steps++;
    this.#cutLog();
  }

  /**
   * Creates a checkpoint when the log is long, because there is no separate process for that here.
   */
  #cutLog(): void {
    const isDue = this.#steps >= CHECKPOINT_AFTER;
    if (this.#steps === 0 || !isDue && !this.#isLogDue || !this.#clients.isFree) return;
    if (!isDue && !this.#isLogLong()) return;
    this.#steps = 0;
    this.#checkpoint();
  }

  #isLogLong(): boolean {
    this.#isLogDue = false;
    try {
      const [[bytes] = []] = this.#own.ask(LOG_BYTES);
      return Number(bytes) > MAX_LOG_BYTES;
    } catch (error) {
      // A client's settings may make the query fail, so messages are counted too.
      if (!(error instanceof BackendError)) throw error;
      return false;
    }
  }

  #wait(): void {
    this.#flushOutput();
    if (this.#frames.length === 0) {
      const frames = this.#pipes.read();
      if (frames === undefined) Deno.exit(0);
      this.#frames.push(...frames);
    }
    const frames = this.#frames;
    this.#frames = [];
    frames.forEach((frame, at) => {
      if (frame.type === DatabaseFrame.hold) {
        this.#frames.push(...frames.slice(at + 1));
        this.#hold();
        frames.length = at;
      } else this.#take(frame);
    });
  }

  #take({ type, id, payload }: Frame): void {
    switch (type) {
      case DatabaseFrame.open:
        return this.#clients.open(id, new Map(fromPayload<[string, string][]>(payload)));
      case DatabaseFrame.data:
        return this.#clients.receive(id, payload);
      case DatabaseFrame.end:
        return this.#clients.close(id);
      case DatabaseFrame.tick:
        this.#isTicking = this.#isLogDue = true;
        return this.#clients.tick();
      case DatabaseFrame.dump:
        this.#dumps.push(fromPayload<DumpHead>(payload));
        return;
      case DatabaseFrame.stop:
        this.#isEnding = true;
    }
  }

  /** Pauses all changes on the disk until the platform allows them again. */
  #hold(): void {
    this.#checkpoint();
    this.#send(DatabaseFrame.held, 0);
    for (let isHeld = true; isHeld;) {
      const frames = this.#pipes.read();
      if (frames === undefined) Deno.exit(0);
      const resume = frames.findIndex(({ type }) => type === DatabaseFrame.resume);
      isHeld = resume < 0;
      this.#frames.push(...frames.filter((_, at) => at !== resume));
    }
  }

  #checkpoint(): void {
    if (!this.#clients.isFree) return;
    const { checkpoints } = this.#options;
    checkpoints.lockSync(true);
    this.#postgres.checkpoint(() =>
      this.#postgres.run(writeMessage("Q", "CHECKPOINT"), () => {}, () => new Uint8Array(0))
    );
    checkpoints.unlockSync();
  }

  /** Dumps the database as soon as no transaction is open. */
  async #dump({ schemaOnly }: DumpHead): Promise<void> {
    this.#flushOutput();
    try {
      const bytes = await dumpDatabase(this.#postgres, {
        database: this.#options.database,
        schemaOnly,
      });
      for (let at = 0; at < bytes.byteLength; at += MAX_FRAME_BYTES) {
        this.#send(DatabaseFrame.dumped, 0, bytes.subarray(at, at + MAX_FRAME_BYTES));
      }
      this.#send(DatabaseFrame.dumpEnded, 0);
    } catch (error) {
      const message = `Cannot dump the database: ${(error as Error).message}`;
      this.#send(DatabaseFrame.dumpEnded, 0, toPayload({ message, sqlState: "58000" }));
    }
    this.#clients.forgetSettings();
  }

  #deliver(client: number, bytes: Uint8Array): void {
    if (this.#outputOf !== client) this.#flushOutput();
    this.#outputOf = client;
    this.#output.push(bytes);
    this.#outputBytes += bytes.byteLength;
    if (this.#outputBytes >= OUTPUT_BYTES) this.#flushOutput();
  }

  /** Reports handled bytes only in larger numbers, because a report costs as much as a message. */
  #credit(client: number, bytes: number): void {
    const taken = (this.#taken.get(client) ?? 0) + bytes;
    if (taken < CREDIT_BYTES) return void this.#taken.set(client, taken);
    this.#taken.delete(client);
    this.#send(DatabaseFrame.credit, client, new Uint8Array(Uint32Array.of(taken).buffer));
  }

  #flushOutput(): void {
    if (this.#output.length === 0) return;
    const bytes = this.#output.length === 1 ? this.#output[0]! : join(this.#output);
    this.#output = [];
    this.#outputBytes = 0;
    for (let at = 0; at < bytes.byteLength; at += MAX_FRAME_BYTES) {
      const part = bytes.subarray(at, at + MAX_FRAME_BYTES);
      this.#pipes.send(DatabaseFrame.output, this.#outputOf, part);
    }
  }

  #send(type: number, client: number, payload?: Uint8Array): void {
    this.#flushOutput();
    this.#pipes.send(type, client, payload);
  }
}
