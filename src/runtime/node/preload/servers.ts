/** @module Makes each of Node's servers listen on the Unix socket, with HTTP/1.1. */
import http from "node:http";
import net from "node:net";
import {
  type Emitter,
  type Method,
  readListenArguments,
  replaceListen,
  scopeRequests,
} from "../../compute/engine/node_servers.ts";
import { redirectNames } from "./named_sockets.ts";
import type { ServerAddress } from "../../compute/engine/address.ts";

/** Methods that identify servers of other protocols without loading their modules. */
const OTHERS: Readonly<Record<string, string>> = {
  setSecureContext: "HTTP, as TLS ends at the edge",
  updateSettings: "HTTP/1.1, as HTTP/2 ends at the edge",
};

/** Returns the reason why the platform cannot reach a server, or `undefined` if it can. */
export function refusedProtocol(server: object): Error | undefined {
  const method = Object.keys(OTHERS).find((name) =>
    typeof Reflect.get(server, name) === "function"
  );
  if (method === undefined) return undefined;
  return Object.assign(
    new Error(`A deployed server speaks ${OTHERS[method]}: create it with node:http`),
    { code: "EPROTONOSUPPORT", syscall: "listen" },
  );
}

/**
 * Redirects Node's servers to the address. Only additional ports support protocols other than
 * HTTP/1.1.
 */
export function redirectServers(address: ServerAddress): void {
  const prototype = net.Server.prototype as unknown as Record<string, Method>;
  const native = prototype.listen!;
  replaceListen(address);
  redirectNames(address, native);
  const listen = prototype.listen!;
  prototype.listen = function (...args) {
    const asked = readListenArguments(args);
    const refused = asked !== "other" && address.isOwn(asked.port ?? 0)
      ? refusedProtocol(this)
      : undefined;
    if (refused !== undefined) throw refused;
    return listen.apply(this, args);
  };
  scopeRequests(http.Server.prototype as unknown as Emitter);
}
