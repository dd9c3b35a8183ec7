/** @module Detects when a program listens, on its assigned port or another port. */
import type { OwnAddress } from "../node/sandbox/own_ports.ts";

/**
 * How long a program that listens on a different port may take to listen on its assigned one, in
 * milliseconds.
 */
const OTHER_PORT_MS = 1000;

/** Time between two attempts to connect, in milliseconds. */
const RETRY_MS = 50;

interface ReadinessOptions {
  readonly port: number;
  /** Called once, with the address for requests. */
  readonly ready: (at: OwnAddress) => void;
  /** Called before `ready` if the program listens on a different port. */
  readonly otherPort: (port: number) => void;
}

export class Readiness {
  #isReady = false;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  readonly #options: ReadinessOptions;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  listens(port: number, at: OwnAddress): void {
    if (this.#isReady) return;
    if (port === this.#options.port) return this.#settle(at);
    this.#waiting ??= setTimeout(() => {
      if (this.#isReady) return;
      this.#options.otherPort(port);
      this.#settle(at);
    }, OTHER_PORT_MS);
  }

  #settle(at: OwnAddress): void {
    this.#isReady = true;
    clearTimeout(this.#waiting);
    this.#options.ready(at);
  }
}

/**
 * Waits until something accepts connections at an address. Returns false if `goesOn()` returns
 * false before that.
 */
export async function untilAccepts(at: OwnAddress, goesOn: () => boolean): Promise<boolean> {
  while (goesOn()) {
    try {
      (await Deno.connect(at)).close();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return false;
}
