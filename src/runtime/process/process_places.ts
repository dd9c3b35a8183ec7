/** @module Manages a limited number of slots for the processes of all deployments. */
import { decidePlace, type Tenant } from "./decide_place.ts";

/** Maximum time that a process waits for another process to free its slot, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** A process that can be stopped to free its slot. */
export interface EndableTenant extends Tenant {
  /** Stops the process. Afterwards, `ending` is true. */
  end(): void;
}

/** The right to run one process. */
export interface Place {
  /** Sets the process that uses the slot and can be stopped to make room for another one. */
  occupy(tenant: EndableTenant): void;
  /** Releases the slot once the process has exited. Calling it again does nothing. */
  release(): void;
}

interface ProcessPlacesOptions {
  /**
   * Maximum number of processes at the same time, including those that are starting or stopping.
   */
  readonly max: number;
  /** Maximum time that a process waits for a slot, in milliseconds; 10 s by default. */
  readonly waitMs?: number;
}

export class ProcessPlaces {
  #taken = 0;
  readonly #tenants = new Set<EndableTenant>();
  readonly #waiting: ((place: Place) => void)[] = [];

  readonly #options: ProcessPlacesOptions;

  constructor(options: ProcessPlacesOptions) {
    this.#options = options;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Number of slots in use by running, starting or stopping processes. */
  get taken(): number {
    return this.#taken;
  }

  /** Returns a slot as soon as one is free, or `undefined` if none became free in time. */
  take(): Promise<Place | undefined> {
    const { promise, resolve } = Promise.withResolvers<Place | undefined>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(give), 1);
      resolve(undefined);
    }, this.#options.waitMs ?? MAX_WAIT_MS);
    const give = (place: Place): void => {
      clearTimeout(timer);
      resolve(place);
    };
    this.#waiting.push(give);
    this.settle();
    return promise;
  }

  /** Gives slots to waiting processes. This must be called when a process becomes idle. */
  settle(): void {
    while (this.#waiting.length > 0) {
      const decision = decidePlace({
        taken: this.#taken,
        max: this.#options.max,
        waiting: this.#waiting.length,
        tenants: this.#tenants,
      });
      if (decision.type === "wait") return;
      if (decision.type === "end") decision.tenant.end();
      else this.#waiting.shift()!(this.#place());
    }
  }

  #place(): Place {
    this.#taken++;
    let tenant: EndableTenant | undefined;
    let released = false;
    return {
      occupy: (by) => {
        tenant = by;
        this.#tenants.add(by);
        this.settle();
      },
      release: () => {
        if (released) return;
        released = true;
        this.#taken--;
        if (tenant !== undefined) this.#tenants.delete(tenant);
        this.settle();
      },
    };
  }
}
