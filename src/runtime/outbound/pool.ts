/**
 * Connections that rest between requests, by origin. A connection stays with
 * the address that was checked when it was made.
 *
 * @module
 */
import type { Http1Connection } from "./http1_connection.ts";

export interface PoolLimits {
  readonly maxIdlePerOrigin: number;
  readonly maxIdle: number;
  /** Longest rest, in milliseconds. */
  readonly restMs: number;
}

interface Resting {
  readonly connection: Http1Connection;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class ConnectionPool {
  readonly #resting = new Map<string, Resting[]>();
  #count = 0;

  constructor(private readonly limits: PoolLimits) {}

  /** The connection that rested the shortest. */
  take(origin: string): Http1Connection | undefined {
    const found = this.#resting.get(origin)?.pop();
    if (found === undefined) return undefined;
    this.#forget(origin, found);
    return found.connection;
  }

  give(origin: string, connection: Http1Connection): void {
    const list = this.#resting.get(origin) ?? [];
    if (this.#count >= this.limits.maxIdle || list.length >= this.limits.maxIdlePerOrigin) {
      return connection.close();
    }
    const remove = (): void => {
      const at = list.indexOf(resting);
      if (at === -1) return;
      list.splice(at, 1);
      this.#forget(origin, resting);
      connection.close();
    };
    const timer = setTimeout(remove, this.limits.restMs);
    Deno.unrefTimer(Number(timer));
    const resting: Resting = { connection, timer };
    list.push(resting);
    this.#resting.set(origin, list);
    this.#count++;
    connection.rest(remove);
  }

  #forget(origin: string, { timer }: Resting): void {
    clearTimeout(timer);
    this.#count--;
    if (this.#resting.get(origin)?.length === 0) this.#resting.delete(origin);
  }

  closeAll(): void {
    for (const list of [...this.#resting.values()]) {
      for (const { connection, timer } of list.splice(0)) {
        clearTimeout(timer);
        connection.close();
      }
    }
    this.#resting.clear();
    this.#count = 0;
  }
}
