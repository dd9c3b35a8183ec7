/** @module PostgreSQL in this process: one backend that handles messages synchronously. */
import type { PGlite } from "@electric-sql/pglite";
import type { Backend, Hear, ReadMore } from "../multiplex/backend.ts";
import { MessageReader } from "../multiplex/messages.ts";
import type { SetupHead } from "../wire.ts";
import { durableFiles } from "./durable_files.ts";
import { loadEngine } from "./engine_files.ts";
import { becomeRole } from "./identity.ts";
import { SettingsMemory, type Timeouts } from "./settings_memory.ts";
import { quoteIdentifier, quoteLiteral } from "../multiplex/settings.ts";

interface Names {
  readonly database: string;
  readonly role: string | null;
}

/**
 * Renames the database and its role, and creates the role if it is missing. This is necessary
 * because the files come from an empty database or from another branch.
 */
async function nameBranch(
  pg: PGlite,
  wanted: Names & { readonly role: string },
  former: Names,
): Promise<void> {
  const role = quoteIdentifier(wanted.role);
  const has = async (name: string): Promise<boolean> => {
    const sql = `SELECT FROM pg_catalog.pg_roles WHERE rolname = ${quoteLiteral(name)}`;
    return (await pg.query(sql)).rows.length > 0;
  };
  await pg.exec("BEGIN");
  if (!await has(wanted.role)) {
    await pg.exec(
      former.role !== null && await has(former.role)
        ? `ALTER ROLE ${quoteIdentifier(former.role)} RENAME TO ${role}`
        : `CREATE ROLE ${role} LOGIN`,
    );
  }
  // ALTER DATABASE does not rename the current database.
  await pg.exec(`UPDATE pg_catalog.pg_database SET datname = ${quoteLiteral(wanted.database)},
    datdba = ${quoteLiteral(role)}::regrole WHERE datname = pg_catalog.current_database()`);
  await pg.exec("COMMIT");
}

/** The internals of PGlite's module that this code uses. */
interface EngineModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly _InterruptPending: number;
  readonly _QueryCancelPending: number;
  readonly addFunction: (call: (at: number, length: number) => number, type: string) => number;
  readonly stackSave: () => number;
  readonly stackRestore: (stack: number) => void;
  readonly _PostgresMainLoopOnce: () => void;
  readonly _PostgresMainLongJmp: () => void;
  readonly _PostgresSendReadyForQueryIfNecessary: () => void;
  readonly _pgl_pq_flush: () => void;
  readonly _pq_buffer_remaining_data: () => number;
  readonly _pgl_getMyProcPort: () => number;
  readonly _ProcessStartupPacket: (port: number, ssl: boolean, gss: boolean) => number;
  readonly _pgl_sendConnData: () => void;
  readonly _pgl_set_rw_cbs: (read: number, write: number) => void;
}

const WASM_PAGE = 64 * 1024;
const MB = 1024 * 1024;

/** Memory that the runtime uses in addition to the database's memory, in MB. */
const RUNTIME_MB = 80;
/** Minimum memory for the engine to start, in MB. */
export const MIN_MEMORY_MB = 160;

/**
 * Stack depth at which the engine rejects further recursion. The engine measures only its own
 * stack. The runtime's stack overflows at about twice this depth, which requires a new process.
 */
const MAX_STACK_KB = 200;

/** Maximum size of the backend's response to one message, in bytes. */
const MAX_ANSWER_BYTES = 1024 * MB;

/** Status that the engine returns after a failed statement. */
const LONG_JUMP = 100;

const NOTHING = new Uint8Array(0);

/** Type of a simple query. */
const QUERY = "Q".charCodeAt(0);
/** Types of messages after which the backend is ready for a query. */
const ANSWERED = "QSF";

/** A size that is larger than any possible log. */
const ALL_LOG = "1TB";

export function startParameters(
  { memoryMb, keepsLog }: Pick<SetupHead, "keepsLog" | "memoryMb">,
): string[] {
  const settings = {
    fsync: "on",
    // The engine reports success for fdatasync without flushing.
    wal_sync_method: "fsync",
    shared_buffers: `${Math.min(512, Math.max(16, Math.floor(memoryMb / 8)))}MB`,
    max_connections: "10",
    exit_on_error: "false",
    log_checkpoints: "false",
    // Maximum size of the log that a checkpoint keeps for reuse. Copies of the branch contain it
    // too.
    max_wal_size: "64MB",
    wal_keep_size: keepsLog ? ALL_LOG : "0",
    // The history replays the log on copies of the files.
    full_page_writes: "on",
    wal_level: "replica",
    max_worker_processes: "0",
    max_parallel_workers: "0",
    max_parallel_workers_per_gather: "0",
    max_parallel_maintenance_workers: "0",
    io_method: "sync",
    max_stack_depth: `${MAX_STACK_KB}kB`,
  };
  return ["--single", "-j", ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])];
}

/** Returns the version of the engine, such as `18.6 (PGlite 0.5.16)`. */
export async function readVersion(pg: Pick<PGlite, "query">): Promise<string> {
  const { rows: [row] } = await pg.query<{ version: string }>("SELECT version()");
  return /PostgreSQL ([\d.]+ \(PGlite [^)]*\))/.exec(row?.version ?? "")?.[1] ?? "";
}

/** Limits the engine's memory. The engine reports an error when it runs out of memory. */
function boundMemory(memoryMb: number): void {
  const maximum = Math.max(MIN_MEMORY_MB, memoryMb - RUNTIME_MB) * MB / WASM_PAGE;
  const { Memory } = WebAssembly;
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      const wanted = descriptor.maximum ?? maximum;
      super({ ...descriptor, maximum: Math.min(wanted, maximum) });
    }
  };
}

interface PostgresOpened {
  readonly asSuperuser: (work: () => void) => void;
  readonly version: string;
  readonly settings: SettingsMemory;
}

export class Postgres implements Backend {
  #input: Uint8Array = NOTHING;
  #at = 0;
  #hear: Hear = () => {};
  #more: ReadMore = () => NOTHING;
  #simpleQueries = 0;
  readonly #answers = new MessageReader(MAX_ANSWER_BYTES);

  readonly #module: EngineModule;
  readonly #opened: PostgresOpened;

  private constructor(module: EngineModule, opened: PostgresOpened) {
    this.#module = module;
    this.#opened = opened;
    const read = module.addFunction((at, length) => this.#read(at, length), "ipi");
    const write = module.addFunction((at, length) => this.#write(at, length), "ipi");
    module._pgl_set_rw_cbs(read, write);
  }

  /** Opens the files of a branch, and sets its names in them. */
  static async open(setup: SetupHead): Promise<Postgres> {
    boundMemory(setup.memoryMb);
    const engine = await loadEngine();
    const pg = await engine.PGlite.create({
      ...engine.files,
      fs: durableFiles(engine, setup.folder),
      database: setup.former?.database ?? setup.database,
      startParams: startParameters(setup),
    });
    if (setup.former !== null) await nameBranch(pg, setup, setup.former);
    const settings = await SettingsMemory.open(pg);
    const asSuperuser = await becomeRole(pg, setup.role);
    const version = await readVersion(pg);
    return new Postgres(pg.Module as unknown as EngineModule, { asSuperuser, version, settings });
  }

  get version(): string {
    return this.#opened.version;
  }

  get settingsDigest(): string {
    return this.#opened.settings.digest;
  }

  get settingNames(): readonly string[] {
    return this.#opened.settings.names;
  }

  /** The time limits of the current client. */
  get timeouts(): Timeouts {
    return this.#opened.settings.timeouts;
  }

  get simpleQueries(): number {
    return this.#simpleQueries;
  }

  run(message: Uint8Array, hear: Hear, more: ReadMore): void {
    if (message[0] === QUERY) this.#simpleQueries++;
    [this.#input, this.#at, this.#hear, this.#more] = [message, 0, hear, more];
    const module = this.#module;
    do this.#loopOnce(); while (
      this.#at < this.#input.byteLength || module._pq_buffer_remaining_data() > 0
    );
    if (ANSWERED.includes(String.fromCharCode(message[0]!))) {
      module._PostgresSendReadyForQueryIfNecessary();
    }
    // The rest of the output belongs to this message.
    module._pgl_pq_flush();
  }

  /** Begins a session with a client's startup message, for programs that need one. */
  greet(startup: Uint8Array, hear: Hear): void {
    [this.#input, this.#at, this.#hear] = [startup, 0, hear];
    const module = this.#module;
    module._ProcessStartupPacket(module._pgl_getMyProcPort(), true, true);
    module._pgl_sendConnData();
    module._pgl_pq_flush();
  }

  #loopOnce(): void {
    const module = this.#module;
    const stack = module.stackSave();
    try {
      module._PostgresMainLoopOnce();
    } catch (error) {
      module.stackRestore(stack);
      // Anything else leaves the engine in an unknown state, so the process exits.
      if ((error as { status?: number }).status !== LONG_JUMP) throw error;
      module._PostgresMainLongJmp();
    }
  }

  /** Runs a checkpoint as the superuser. The files then open quickly the next time. */
  checkpoint(run: () => void): void {
    this.#opened.asSuperuser(run);
  }

  /** The flags that tell the backend to cancel its statement. */
  get interruptFlags(): { readonly memory: ArrayBuffer; readonly offsets: readonly number[] } {
    const { HEAPU8, _InterruptPending, _QueryCancelPending } = this.#module;
    return { memory: HEAPU8.buffer, offsets: [_QueryCancelPending, _InterruptPending] };
  }

  #read(at: number, length: number): number {
    if (this.#at === this.#input.byteLength) {
      this.#module._pgl_pq_flush();
      [this.#input, this.#at] = [this.#more(), 0];
    }
    const part = this.#input.subarray(this.#at, this.#at + length);
    this.#module.HEAPU8.set(part, at);
    this.#at += part.byteLength;
    return part.byteLength;
  }

  #write(at: number, length: number): number {
    this.#answers.push(this.#module.HEAPU8.slice(at, at + length));
    for (let said = this.#answers.take(); said !== undefined; said = this.#answers.take()) {
      this.#hear(said);
    }
    return length;
  }
}
