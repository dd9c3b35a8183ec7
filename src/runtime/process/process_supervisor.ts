/**
 * @module Manages one process that runs project code: starts it when needed, stops it when it is
 * idle or other processes need its slot, and restarts it with a pause after failures.
 *
 * The driver determines the kind of process.
 */
import type { EndableTenant, Place, ProcessPlaces } from "./process_places.ts";
import { RestartBackoff } from "./restart_backoff.ts";
import { SYSTEM_TIMERS, type Timers } from "./timers.ts";

/** A process as its supervisor sees it. */
export interface SupervisedProcess {
  /** Time when the process was started, on the supervisor's clock. */
  readonly startedAt: number;
  /** True as soon as it is certain that the process will exit. */
  readonly isEnding: boolean;
  /** Resolves once the process has exited. */
  readonly gone: Promise<unknown>;
}

/**
 * Why a supervisor stops a process: it is `idle`, other processes need its `place`, it was not
 * ready in time (`late`), or its supervisor is `closed`.
 */
export type EndCause = "idle" | "place" | "late" | "closed";

/** The differences between kinds of processes. */
export interface ProcessDriver<P extends SupervisedProcess> {
  /** Starts a process. Rejects if the process does not start. */
  spawn(): Promise<P>;
  /** Called when the process has a slot, to assign its work. */
  begin?(process: P): void;
  /**
   * Resolves when the process is ready for requests. Rejects if the process exits first. If this is
   * missing, the process is ready immediately.
   */
  ready?(process: P): Promise<void>;
  /** Returns true while the process has requests. */
  isBusy(process: P): boolean;
  /** Called at every check of a running process. This can stop the process. */
  inspect(process: P): void;
  /** Stops the process. Afterwards, `isEnding` is true. */
  end(process: P, cause: EndCause): void;
}

export interface SupervisorOptions<P extends SupervisedProcess> {
  readonly driver: ProcessDriver<P>;
  /** Slots shared by all processes of a kind; by default, the number of processes is unlimited. */
  readonly places?: ProcessPlaces | undefined;
  /** Message if no slot became free in time. At most `max` processes can run. */
  readonly noPlace: (max: number) => string;
  /** Message if the supervisor has been closed. */
  readonly closed: string;
  /** Maximum time from the start to `ready`, in milliseconds; unlimited by default. */
  readonly startMs?: number;
  /** Time without requests after which the process exits, in milliseconds; 0 for never. */
  readonly idleMs: number;
  /** Time between two checks of the process, in milliseconds. */
  readonly pollMs: number;
  readonly timers?: Timers;
}

/** An error if all slots are in use and none became free in time. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}

export class ProcessSupervisor<P extends SupervisedProcess> {
  readonly backoff: RestartBackoff;
  readonly #timers: Timers;
  #current: P | undefined;
  #starting: Promise<P> | undefined;
  #lastUse: number;
  #stopLooking: () => void = () => {};
  #isClosed = false;

  readonly #options: SupervisorOptions<P>;

  constructor(options: SupervisorOptions<P>) {
    this.#options = options;
    this.#timers = options.timers ?? SYSTEM_TIMERS;
    this.backoff = new RestartBackoff(this.#timers);
    this.#lastUse = this.#timers.now();
  }

  /** The process, ready or not, until it is released. */
  get current(): P | undefined {
    return this.#current;
  }

  /** True while a process is being started. */
  get isStarting(): boolean {
    return this.#starting !== undefined;
  }

  /** Records that the process was in use until now. */
  touch(): void {
    this.#lastUse = this.#timers.now();
  }

  /** Gives the slot of an idle process to a waiting process. */
  settle(): void {
    this.#options.places?.settle();
  }

  /**
   * Starts the process, or waits for a start in progress.
   *
   * @throws NoPlaceError if no slot became free in time; otherwise, the driver's error
   */
  start(): Promise<P> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
      this.settle();
    });
    return this.#starting;
  }

  /**
   * Must be called as soon as it is certain that a process will exit. Afterwards, it is no longer
   * the current process.
   */
  release(process: P): void {
    if (this.#current !== process) return;
    this.#current = undefined;
    this.#stopLooking();
  }

  /** Stops starting processes. Returns the current process, which the caller must stop. */
  async close(): Promise<P | undefined> {
    this.#isClosed = true;
    this.#stopLooking();
    return this.#current ?? await this.#starting?.catch(() => undefined);
  }

  async #start(): Promise<P> {
    const { driver, startMs } = this.#options;
    const place = await this.#takePlace();
    const process = await driver.spawn().catch((error) => {
      place?.release();
      throw error;
    });
    this.#current = process;
    place?.occupy(this.#tenant(process));
    const release = () => place?.release();
    process.gone.then(release, release);
    if (this.#isClosed) {
      driver.end(process, "closed");
      await process.gone;
      throw new Error(this.#options.closed);
    }
    driver.begin?.(process);
    this.touch();
    this.#look();
    const inTime = startMs === undefined
      ? () => {}
      : this.#timers.after(startMs, () => driver.end(process, "late"));
    try {
      await driver.ready?.(process);
    } finally {
      inTime();
    }
    this.touch();
    return process;
  }

  async #takePlace(): Promise<Place | undefined> {
    const { places, noPlace } = this.#options;
    if (this.#isClosed) throw new Error(this.#options.closed);
    if (places === undefined) return undefined;
    const place = await places.take();
    if (place === undefined) throw new NoPlaceError(noPlace(places.max));
    if (!this.#isClosed) return place;
    place.release();
    throw new Error(this.#options.closed);
  }

  #isBusy(process: P): boolean {
    return this.isStarting || this.#options.driver.isBusy(process);
  }

  /** Returns the process as a tenant that can be stopped to free its slot. */
  #tenant(process: P): EndableTenant {
    const idleSince = (): number | undefined => this.#isBusy(process) ? undefined : this.#lastUse;
    return {
      get ending() {
        return process.isEnding;
      },
      get idleSince() {
        return idleSince();
      },
      end: () => this.#options.driver.end(process, "place"),
    };
  }

  /** Checks the process, stops it if it is idle, and checks again later. */
  #look(): void {
    this.#stopLooking();
    const process = this.#current;
    if (process === undefined || process.isEnding) return;
    const { driver, idleMs, pollMs } = this.#options;
    driver.inspect(process);
    if (process.isEnding) return;
    if (this.#isBusy(process)) this.touch();
    else if (idleMs > 0 && this.#timers.now() - this.#lastUse > idleMs) {
      return driver.end(process, "idle");
    } else this.settle();
    this.#stopLooking = this.#timers.after(pollMs, () => this.#look());
  }
}
