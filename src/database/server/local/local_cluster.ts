/** @module A PostgreSQL server that the platform runs, on a Unix socket in a private folder. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../lib/error_message.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { EngineError } from "../../types.ts";
import { closeQuietly } from "../../wire/connection.ts";
import { connectServer, ServerRefusal } from "../connect_server.ts";
import type { Login, ServerAddress } from "../server_address.ts";
import { attachedServer, type ServerSource } from "../server_source.ts";
import {
  ADMIN_ROLE,
  type ClusterFiles,
  clusterVersion,
  historyFolder,
  prepareCluster,
  removeHistory,
  runAsOwner,
} from "./cluster_files.ts";
import { type ClusterOwner, findOwner, letPass } from "./cluster_owner.ts";
import { findPostgres, type PostgresPrograms } from "./find_postgres.ts";
import { runningServer } from "./running_server.ts";
import { type HistoryOptions, LocalHistory, prepareHistory } from "./history.ts";
import { archiveCommand } from "./history_files.ts";
import {
  processMemoryMb,
  serverSettings,
  type SettingRow,
  settingsText,
} from "./server_settings.ts";

const PORT = 5432;
/** How often the server is checked, in milliseconds. */
const LOOK_MS = 500;
/**
 * Maximum time until the server accepts connections, including a replay of the log after a crash,
 * in milliseconds.
 */
const START_MS = 5 * 60_000;
/** Maximum time for a fast shutdown, in milliseconds. */
const STOP_MS = 30_000;
/** Maximum time that a session waits for a server that is starting, in milliseconds. */
const WAIT_MS = 20_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
const LAST_LINES = 5;
/** SQLSTATE from a server that is starting, or recovering from a crash. */
const CANNOT_CONNECT_NOW = "57P03";

interface LocalClusterOptions {
  /** The platform's data folder, with the cluster in `postgres` below it. */
  readonly dataFolder: string;
  /** Password of the role that the platform signs in as. */
  readonly password: string;
  readonly path: string;
  readonly memoryBytes: number;
  /** The history to keep. If missing, none is kept. */
  readonly history?: HistoryOptions;
  readonly onTrouble: (message: string) => void;
}

export class LocalCluster implements ServerSource {
  readonly history: LocalHistory | undefined;
  readonly #address: ServerAddress;
  readonly #login: Login;
  readonly #closing = new AbortController();
  #up = Promise.withResolvers<void>();
  #problem: string | undefined = "PostgreSQL is starting";
  #watching: Promise<void>;

  readonly #options: LocalClusterOptions;
  readonly #programs: PostgresPrograms;
  readonly #files: ClusterFiles;
  readonly #owner: ClusterOwner | undefined;

  private constructor(
    options: LocalClusterOptions,
    programs: PostgresPrograms,
    files: ClusterFiles,
    owner: ClusterOwner | undefined,
  ) {
    this.#options = options;
    this.#programs = programs;
    this.#files = files;
    this.#owner = owner;
    const path = join(files.socket, `.s.PGSQL.${PORT}`);
    this.#address = { endpoint: { transport: "unix", path }, tls: undefined };
    this.#login = { user: ADMIN_ROLE, password: options.password, database: "postgres" };
    this.#watching = this.#watch();
    const { history, onTrouble } = options;
    this.history = history && new LocalHistory({
      ...history,
      folder: this.#historyFolder,
      source: this,
      programsFolder: programs.folder,
      owner,
      settings: (socketFolder) => this.#settings(socketFolder),
      onTrouble,
    });
  }

  /**
   * Finds a PostgreSQL installation, and creates the cluster if there is none. The server starts in
   * the background, unless it is still running.
   *
   * @throws {Error} with a message for the operator
   */
  static async open(options: LocalClusterOptions): Promise<LocalCluster> {
    const folder = join(options.dataFolder, "postgres");
    const programs = choose(await findPostgres(options.path), await clusterVersion(folder), folder);
    const owner = findOwner();
    if (owner !== undefined) await letPass(options.dataFolder, owner);
    const { password } = options;
    const files = await prepareCluster(folder, { programs, owner, password });
    if (options.history === undefined) {
      await removeHistory(folder);
    } else {
      await prepareHistory(historyFolder(folder), { programsFolder: programs.folder, owner });
    }
    return new LocalCluster(options, programs, files, owner);
  }

  get #historyFolder(): string {
    return historyFolder(join(this.#options.dataFolder, "postgres"));
  }

  get programsFolder(): string {
    return this.#programs.folder;
  }

  /** @throws {EngineError} if the server does not accept connections in time */
  async reach(): Promise<{ readonly address: ServerAddress; readonly login: Login }> {
    if (this.#problem !== undefined) {
      const late = new AbortController();
      const signal = AbortSignal.any([late.signal, this.#closing.signal]);
      const waited = delay(WAIT_MS, undefined, { signal }).catch(() => {});
      await Promise.race([this.#up.promise, waited]);
      late.abort();
    }
    if (this.#problem !== undefined) throw new EngineError(this.#problem, "57P03");
    return { address: this.#address, login: this.#login };
  }

  /** Stops the server: closes its sessions, and flushes committed data. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.history?.close();
    await this.#watching;
    this.#problem = "PostgreSQL is stopped";
    await this.#stop("fast");
    if (!await this.#endsWithin(STOP_MS)) {
      await this.#stop("immediate");
      await this.#endsWithin(STOP_MS);
    }
  }

  /** Starts the server whenever it is not running. The pauses between attempts get longer. */
  async #watch(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#bringUp();
        if (this.#closing.signal.aborted) return;
        this.#setUp();
        pauseMs = FIRST_PAUSE_MS;
        await this.#untilGone();
        if (this.#closing.signal.aborted) return;
        this.#setDown("PostgreSQL stopped unexpectedly and is restarting");
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#setDown(`PostgreSQL does not start: ${messageOf(error)}`);
      }
      await this.#pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  async #bringUp(): Promise<void> {
    if (await this.#state() === "down") await this.#start();
    const end = performance.now() + START_MS;
    while (!this.#closing.signal.aborted) {
      const state = await this.#state();
      if (state === "up") return;
      if (state === "down" && !await this.#isAlive()) throw new Error(await this.#lastWords());
      if (performance.now() > end) {
        throw new Error(`It has not accepted connections for ${START_MS} ms`);
      }
      await this.#pause(LOOK_MS / 10);
    }
  }

  /** @throws {ServerRefusal} if the server rejects the platform's connection */
  async #state(): Promise<"up" | "starting" | "down"> {
    try {
      const { connection } = await connectServer(this.#address, this.#login);
      closeQuietly(connection);
      return "up";
    } catch (error) {
      if (!(error instanceof ServerRefusal)) return "down";
      if (error.sqlState === CANNOT_CONNECT_NOW) return "starting";
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { data, socket, startLog } = this.#files;
    const archive: readonly SettingRow[] = this.#options.history === undefined ? [] : [
      ["archive_mode", "on"],
      ["archive_command", archiveCommand(this.#historyFolder)],
    ];
    const settings = settingsText([...this.#settings(socket), ...archive]);
    await Deno.writeTextFile(join(data, "postgresql.conf"), settings);
    await Deno.remove(startLog).catch(() => {});
    await this.#control("start", `--log=${startLog}`, "--no-wait");
    // The server writes its process ID a moment after it has started.
    for (let look = 0; look < 50 && !await this.#isAlive(); look++) await this.#pause(20);
  }

  #settings(socketFolder: string): readonly SettingRow[] {
    const { memoryBytes } = this.#options;
    return serverSettings({ socketFolder, port: PORT, memoryBytes });
  }

  async #stop(mode: "fast" | "immediate"): Promise<void> {
    if (!await this.#isAlive()) return;
    await this.#control("stop", `--mode=${mode}`, "--no-wait").catch((error) =>
      this.#options.onTrouble(`Cannot stop PostgreSQL: ${messageOf(error)}`)
    );
  }

  #control(action: string, ...args: readonly string[]): Promise<void> {
    return runAsOwner(join(this.#programs.folder, "pg_ctl"), {
      args: [action, `--pgdata=${this.#files.data}`, "--silent", ...args],
      owner: this.#owner,
      // Child processes inherit the limit. Systems other than Linux do not let the platform set it.
      ...Deno.build.os === "linux"
        ? { addressesMb: processMemoryMb(this.#options.memoryBytes) }
        : {},
    });
  }

  async #untilGone(): Promise<void> {
    while (!this.#closing.signal.aborted && await this.#isAlive()) await this.#pause(LOOK_MS);
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    while (await this.#isAlive()) {
      if (performance.now() > end) return false;
      await delay(LOOK_MS / 10);
    }
    return true;
  }

  async #isAlive(): Promise<boolean> {
    return await runningServer(this.#files.data) !== undefined;
  }

  async #lastWords(): Promise<string> {
    const said = await readTextFile(this.#files.startLog).catch(() => "");
    return said.trim().split("\n").slice(-LAST_LINES).join(" ") || "it exited without a message";
  }

  #setUp(): void {
    this.#problem = undefined;
    this.#up.resolve();
  }

  #setDown(problem: string): void {
    if (this.#problem === undefined) this.#up = Promise.withResolvers();
    this.#problem = problem;
    this.#options.onTrouble(problem);
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

/**
 * Returns the local server of a platform on the same data folder, or `undefined` if none is
 * running.
 */
export async function runningCluster(
  { dataFolder, password, path }: Pick<LocalClusterOptions, "dataFolder" | "password" | "path">,
): Promise<ServerSource | undefined> {
  const folder = join(dataFolder, "postgres");
  const server = await runningServer(join(folder, "data"));
  if (server === undefined) return undefined;
  const programs = choose(await findPostgres(path), await clusterVersion(folder), folder);
  const socket = join(server.socketFolder, `.s.PGSQL.${server.port}`);
  return attachedServer(programs.folder, {
    address: { endpoint: { transport: "unix", path: socket }, tls: undefined },
    login: { user: ADMIN_ROLE, password, database: "postgres" },
  });
}

/** Returns the installation with the version that created the cluster, otherwise the newest one. */
function choose(
  installed: readonly PostgresPrograms[],
  made: number | undefined,
  folder: string,
): PostgresPrograms {
  const found = installed.find(({ major }) => made === undefined || major === made);
  if (found !== undefined) return found;
  throw new TypeError(
    made === undefined
      ? "PostgreSQL is not installed on this machine: install it (for example the package " +
        "postgresql), or omit --postgres local"
      : `The databases in ${folder} need PostgreSQL ${made}, which is not installed on this machine: install it`,
  );
}
