/**
 * @module PostgreSQL inside the program. Each branch has a folder, and a process while it is in
 * use.
 */
import type { ProcessCommand } from "../../runtime/process/self_command.ts";
import { PortableDump } from "../portable_dump.ts";
import {
  type BackendSession,
  type Branch,
  type CopyMethod,
  type DatabaseEngine,
  type DumpOptions,
  EngineError,
  type EngineStatus,
  GONE,
  type HistoryFacts,
  type StartupParameters,
} from "../types.ts";
import { BranchFolders, type BranchNames, EMPTY_NAMES } from "./branch_folder.ts";
import { ownedPrefix } from "../../lib/owned_folders.ts";
import { EmbeddedHistory, type EmbeddedHistoryOptions } from "./history/embedded_history.ts";
import { removeOldLog } from "./history/log_position.ts";
import { RunningDatabase } from "./running_database.ts";
import { readTemplate, unpackTemplate } from "./template/unpack_template.ts";
import type { SetupHead } from "./wire.ts";

interface EmbeddedEngineOptions {
  /** Absolute path of the folder with all branches. */
  readonly folder: string;
  readonly command: (socketPath: string) => ProcessCommand;
  /** How much history to keep. If missing, none is kept. */
  readonly history?: EmbeddedHistoryOptions;
}

/** Files of an empty database, unpacked once and copied for each new branch. */
const TEMPLATE = "template";

/** Version of the engine in this program. */
const ENGINE_VERSION = "18.6 (PGlite 0.5.16)";

export class EmbeddedEngine implements DatabaseEngine {
  readonly kind = "embedded";
  readonly #folders: BranchFolders;
  readonly #running = new Map<string, RunningDatabase>();
  /** The last operation of each branch. The next one waits for it. */
  readonly #pending = new Map<string, Promise<unknown>>();
  #template: Promise<void> | undefined;
  readonly #history: EmbeddedHistory | undefined;

  readonly #options: EmbeddedEngineOptions;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#folders = new BranchFolders(options.folder);
    this.#history = options.history && new EmbeddedHistory({
      ...options.history,
      folders: this.#folders,
      isRunning: (id) => this.isRunning({ id }),
    });
  }

  /** Process IDs of the running databases. */
  get pids(): readonly number[] {
    return [...this.#running.values()].filter(({ isEnded }) => !isEnded).map(({ pid }) => pid);
  }

  /** Runs the operations on each branch one after the other. */
  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const last = this.#pending.get(id) ?? Promise.resolve();
    const next = last.then(work, work);
    const settled = next.catch(() => {});
    this.#pending.set(id, settled);
    const forget = (): void => {
      if (this.#pending.get(id) === settled) this.#pending.delete(id);
    };
    next.then(forget, forget);
    return next;
  }

  async create(branch: Branch): Promise<void> {
    await this.#inTurn(branch.id, async () => {
      if (await this.#folders.exists(branch.id)) return;
      await this.#makeTemplate();
      await this.#folders.copy(TEMPLATE, branch.id);
      await this.#folders.note(branch.id, EMPTY_NAMES);
    });
  }

  async #makeTemplate(): Promise<void> {
    this.#template ??= this.#unpackTemplate();
    try {
      await this.#template;
    } catch (error) {
      this.#template = undefined;
      throw error;
    }
  }

  async #unpackTemplate(): Promise<void> {
    const shipped = await readTemplate();
    const names = await this.#folders.names(TEMPLATE);
    if (names?.database === shipped.digest) return;
    await this.#folders.make(TEMPLATE);
    const folder = this.#folders.data(TEMPLATE);
    await unpackTemplate(shipped, { folder, version: ENGINE_VERSION });
    await this.#folders.note(TEMPLATE, { database: shipped.digest, role: null });
  }

  async copy(source: Branch, target: Branch): Promise<CopyMethod> {
    return await this.#inTurn(target.id, async () => {
      if (await this.#folders.exists(target.id)) return "copy";
      const names = await this.#folders.names(source.id);
      if (names === undefined) throw missing();
      const running = this.#running.get(source.id);
      const copy = (): Promise<CopyMethod> => this.#folders.copy(source.id, target.id);
      const method = running === undefined || running.isEnded
        ? await this.#inTurn(source.id, copy)
        : await running.hold(copy);
      await removeOldLog(this.#folders.data(target.id));
      await this.#folders.note(target.id, names);
      return method;
    });
  }

  async history({ id }: Branch): Promise<HistoryFacts | undefined> {
    return await this.#history?.facts(id);
  }

  async restore(source: Branch, target: Branch, time: number): Promise<void> {
    const history = this.#history;
    if (history === undefined) throw new EngineError("The platform keeps no history", "0A000");
    await this.#inTurn(target.id, async () => {
      if (await this.#folders.exists(target.id)) return;
      const running = this.#running.get(source.id);
      // Also flushes commits that did not wait for the disk, if the process can still do so.
      if (running?.isEnded === false) await running.hold(() => Promise.resolve()).catch(() => {});
      await this.#folders.untilUnused(target.id);
      try {
        const names = await history.copyAt(source.id, { time, target: target.id });
        await this.#openAny(target, names);
      } catch (error) {
        await this.#folders.remove(target.id);
        throw error;
      }
      await this.#folders.note(target.id, target);
    });
  }

  /**
   * Opens the files of a branch to replay their log, trying several possible names, then stops the
   * process.
   */
  async #openAny(branch: Branch, [former, ...others]: readonly BranchNames[]): Promise<void> {
    try {
      const running = await this.#open(branch, former ?? null);
      await running.stop();
    } catch (error) {
      if (others.length === 0) throw error;
      await this.#openAny(branch, others);
    }
  }

  async remove(id: string): Promise<void> {
    await this.#inTurn(id, async () => {
      const running = this.#running.get(id);
      running?.kill();
      await running?.ended;
      await this.#history?.removed(id);
      await this.#folders.remove(id);
    });
  }

  list(): Promise<readonly string[]> {
    return this.#folders.list();
  }

  holds({ id }: Branch): Promise<boolean> {
    return this.#folders.exists(id);
  }

  sizeOf(branch: Branch): Promise<number> {
    return this.#folders.sizeOf(branch);
  }

  async #start(branch: Branch): Promise<RunningDatabase> {
    const running = this.#running.get(branch.id);
    if (running !== undefined && !running.isEnded) {
      await running.ready;
      return running;
    }
    return await this.#inTurn(branch.id, () => this.#launch(branch));
  }

  async #launch(branch: Branch): Promise<RunningDatabase> {
    const known = this.#running.get(branch.id);
    if (known !== undefined && !known.isEnded) return known;
    const names = await this.#folders.names(branch.id);
    if (names === undefined) throw missing();
    const { id, database, role } = branch;
    const isNamed = names.database === database && names.role === role;
    const running = await this.#open(branch, isNamed ? null : names).catch((error) => {
      if (isNamed) throw error;
      // The platform may have crashed between changing the names in the files and recording them.
      return this.#open(branch, null);
    });
    if (!isNamed) await this.#folders.note(id, { database, role });
    this.#history?.opened(id);
    return running;
  }

  /** Starts the process. If the files still contain other names, `former` contains those. */
  async #open(branch: Branch, former: SetupHead["former"]): Promise<RunningDatabase> {
    const { id, database, role, limits } = branch;
    const prefix = await ownedPrefix("db", this.#options.folder);
    const setup = {
      folder: this.#folders.data(id),
      lock: this.#folders.lock(id),
      checkpoints: this.#folders.checkpoints(id),
      database,
      role,
      former,
      memoryMb: limits.memoryMb,
      keepsLog: this.#history !== undefined,
    };
    const running = await RunningDatabase.start(this.#options.command, { setup, prefix });
    this.#running.set(id, running);
    const forget = (): void => {
      if (this.#running.get(id) === running) this.#running.delete(id);
    };
    running.ended.then(forget, forget);
    await running.ready;
    return running;
  }

  async stop(branch: Branch): Promise<void> {
    await this.#inTurn(branch.id, async () => await this.#running.get(branch.id)?.stop());
  }

  isRunning({ id }: Pick<Branch, "id">): boolean {
    const running = this.#running.get(id);
    return running !== undefined && !running.isEnded;
  }

  async connect(branch: Branch, startup: StartupParameters): Promise<BackendSession> {
    const running = await this.#start(branch);
    try {
      return await this.#enter(running, branch, startup);
    } catch (error) {
      if (!running.isEnded) throw error;
      // The process exited because of another client before this client was connected.
      return await this.#enter(await this.#start(branch), branch, startup);
    }
  }

  async #enter(
    running: RunningDatabase,
    { limits: { connections } }: Branch,
    startup: StartupParameters,
  ): Promise<BackendSession> {
    if (running.sessions >= connections) {
      throw new EngineError(`Too many connections: this database has ${connections}`, "53300");
    }
    return await running.connect(startup);
  }

  dump(branch: Branch, options: DumpOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    const through = new PortableDump();
    void this.#start(branch)
      .then((running) => running.dump(options).pipeTo(through.writable))
      .catch((error) => through.writable.abort(error).catch(() => {}));
    return through.readable;
  }

  status(): Promise<EngineStatus> {
    return Promise.resolve({ version: ENGINE_VERSION, ready: true, problem: null });
  }

  async close(): Promise<void> {
    await this.#history?.close();
    await Promise.all([...this.#running.values()].map((running) => running.stop()));
  }
}

function missing(): EngineError {
  return new EngineError(GONE, "3D000");
}
