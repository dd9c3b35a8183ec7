/**
 * @module Starts the processes of one engine's servers. After a server has started, the launcher
 * keeps one process ready, so the next server does not have to wait for its process.
 */
import type { ProcessCommand } from "../process/self_command.ts";
import { SYSTEM_TIMERS, type Timers } from "../process/timers.ts";
import {
  type RunningServer,
  type StartServerOptions,
  startWaiting,
  type WaitingProcess,
} from "./start_server.ts";

/**
 * Time from a server's start until the process for the next server starts, in milliseconds. Most
 * servers listen by then, so the two do not compete for processors.
 */
const SPARE_DELAY_MS = 250;

/** Maximum time that a process waits for a server, in milliseconds. */
const SPARE_MS = 10 * 60 * 1000;

/** The data that a process's start command depends on. */
export interface SpawnFacts {
  /** Real path of the folder with the deployment's files. */
  readonly directory: string;
}

/**
 * Returns the command that starts this program as a process for one engine, with a private
 * `folder`.
 */
export type SpawnCommand = (
  folder: string,
  server: SpawnFacts,
) => ProcessCommand | Promise<ProcessCommand>;

/** Like `SpawnCommand`, but for an engine whose command does not depend on the server. */
export type SharedSpawnCommand = (folder: string) => ProcessCommand | Promise<ProcessCommand>;

interface LauncherOptions {
  readonly command: SpawnCommand;
  /** Starts a process that can run any server. Without this command, no process is kept ready. */
  readonly spareCommand?: SharedSpawnCommand | undefined;
  /** Returns the parent of the private folders; by default, the folder for temporary files. */
  readonly parentFolder?: () => Promise<string>;
  readonly timers?: Timers;
}

export class ServerLauncher {
  /** The process that is ready for the next server. */
  #spare: Promise<WaitingProcess | undefined> | undefined;
  /** Cancels the timer that starts or stops the spare process. */
  #cancel: () => void = () => {};
  #isClosed = false;
  readonly #timers: Timers;

  readonly #options: LauncherOptions;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#timers = options.timers ?? SYSTEM_TIMERS;
  }

  /**
   * Starts a server's process, or takes the process that is ready.
   *
   * @throws Error if the process exits before it connects, or does not connect in time
   */
  async start(server: SpawnFacts, options: StartServerOptions): Promise<RunningServer> {
    const { command } = this.#options;
    const process = await this.#take() ??
      await this.#startWaiting((folder) => command(folder, server));
    this.#prepareLater();
    return process.assign(options);
  }

  /** Stops the process that is ready. Servers can still start, but no process is kept ready. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #prepareLater(): void {
    const { spareCommand } = this.#options;
    if (spareCommand === undefined || this.#isClosed) return;
    this.#cancel();
    this.#cancel = this.#timers.after(SPARE_DELAY_MS, () => this.#prepare(spareCommand));
  }

  #prepare(command: SharedSpawnCommand): void {
    // If the process cannot start, the next server reports the reason.
    this.#spare ??= this.#startWaiting(command).catch(() => undefined);
    this.#cancel = this.#timers.after(SPARE_MS, () => void this.#stop().catch(() => {}));
  }

  async #take(): Promise<WaitingProcess | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#cancel();
    const process = await spare;
    return process?.hasExited() === true ? undefined : process;
  }

  async #stop(): Promise<void> {
    const process = await this.#take();
    process?.kill();
    await process?.ended;
  }

  async #startWaiting(command: SharedSpawnCommand): Promise<WaitingProcess> {
    return await startWaiting(command, await this.#options.parentFolder?.());
  }
}
