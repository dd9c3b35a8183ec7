/**
 * Serves HTTP on one accepted connection with the function that `Deno.serve` is built on. That
 * function is not a public API (docs/decisions/runtime.md). It is looked up at startup. If it is
 * missing, the platform does not start, and says why.
 *
 * @module
 */

import type { CutSignal } from "./cut_signal.ts";

export interface ServedConnection {
  /** Settles when HTTP has ended. Rejects if the client disconnected or violated the protocol. */
  readonly finished: Promise<void>;
}

type Handle = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

export type ServeConnection = (
  connection: Deno.Conn,
  /** Closes the connection immediately. */
  signal: CutSignal,
  handler: Handle,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ServedConnection;

export class ConnectionsUnsupportedError extends Error {
  override readonly name = "ConnectionsUnsupportedError";
}

const isFunction = <T>(value: unknown): value is T => typeof value === "function";

/** @throws {ConnectionsUnsupportedError} */
export function findInternal<T>(name: string): T {
  const place: unknown = Reflect.get(Deno, "internal");
  const internals: unknown = typeof place === "symbol" ? Reflect.get(Deno, place) : undefined;
  const found = typeof internals === "object" && internals !== null
    ? Reflect.get(internals, name)
    : undefined;
  if (isFunction<T>(found)) return found;
  throw new ConnectionsUnsupportedError(
    `Cannot serve connections on Deno ${Deno.version.deno}: run svc on the version named in its ` +
      "README",
  );
}
