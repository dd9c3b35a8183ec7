/**
 * Which request the running code belongs to, and what the platform adds to it.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** The platform names each request by this header. */
export const REQUEST_ID_HEADER = "x-svc-request-id";

/** The platform sends `Accept-Encoding` under this name: the runtime shall not compress by itself. */
export const ACCEPT_ENCODING_HEADER = "x-svc-accept-encoding";

const current = new AsyncLocalStorage<string>();

/** Runs the handler of a request in its scope. */
export function inRequest<T>(id: string | undefined, run: () => T): T {
  return id === undefined ? run() : current.run(id, run);
}

/** The id of the request that the running code belongs to. */
export const currentRequest = (): string | undefined => current.getStore();
