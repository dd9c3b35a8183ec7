/**
 * HTTP on one accepted connection, by the function below `Deno.serve`. It is no
 * public API (docs/decisions/own-listener.md): it is looked up at start, and a
 * runtime without it is refused with words.
 *
 * @module
 */

import type { CutSignal } from "./cut_signal.ts";

export interface ServedConnection {
  /** Settles when HTTP has ended on it; rejects where the client broke off or the protocol. */
  readonly finished: Promise<void>;
  /** Answers what is under way, then closes. */
  shutdown(): Promise<void>;
}

export type Handle = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

export type ServeConnection = (
  connection: Deno.Conn,
  /** Cuts the connection off. */
  signal: CutSignal,
  handler: Handle,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ServedConnection;

/** This runtime cannot serve one connection. */
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
    `Cannot serve connections on Deno ${Deno.version.deno}: use a version from 2.6 to 2.9`,
  );
}
