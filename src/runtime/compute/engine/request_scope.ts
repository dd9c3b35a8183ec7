/**
 * The request that the running code belongs to.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** Runs the handler of a request in its scope. */
export function inRequest<T>(id: string | undefined, run: () => T): T {
  return id === undefined ? run() : current.run(id, run);
}

/** The id of the request that the running code belongs to. */
export const currentRequest = (): string | undefined => current.getStore();
