/**
 * @module Keeps idle connections by origin. Each connection leads to the address that was checked.
 */
import type { Http1Connection } from "./connection.ts";

interface PoolLimits {
  readonly maxIdlePerOrigin: number;
  readonly maxIdle: number;
}

export class ConnectionPool {
  readonly #idle = new Map<string, Http1Connection[]>();
  #count = 0;

  readonly #limits: PoolLimits;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Removes and returns the connection that has been idle for the shortest time. */
  take(origin: string): Http1Connection | undefined {
    const found = this.#idle.get(origin)?.pop();
    if (found === undefined) return undefined;
    this.#forget(origin);
    return found;
  }

  give(origin: string, connection: Http1Connection): void {
    const list = this.#idle.get(origin) ?? [];
    if (this.#count >= this.#limits.maxIdle || list.length >= this.#limits.maxIdlePerOrigin) {
      return connection.close();
    }
    const remove = (): void => {
      const at = list.indexOf(connection);
      if (at === -1) return;
      list.splice(at, 1);
      this.#forget(origin);
      connection.close();
    };
    list.push(connection);
    this.#idle.set(origin, list);
    this.#count++;
    connection.watchIdle(remove);
  }

  #forget(origin: string): void {
    this.#count--;
    if (this.#idle.get(origin)?.length === 0) this.#idle.delete(origin);
  }

  closeAll(): void {
    for (const list of [...this.#idle.values()]) {
      for (const connection of list.splice(0)) connection.close();
    }
    this.#idle.clear();
    this.#count = 0;
  }
}
