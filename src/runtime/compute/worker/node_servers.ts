/** @module `node:http` servers in Deno, where an `http.Server` is not a `net.Server`. */
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { adaptRequest } from "./node_requests.ts";
import {
  type Emitter,
  type Method,
  replaceAddress,
  replaceListen,
  scopeRequests,
  takeAddress,
} from "../engine/node_servers.ts";
import type { ServerAddress } from "../engine/address.ts";

/** Opens the Unix socket instead of each port that a `node:http` server requests. */
function replaceHttpListen(address: ServerAddress): void {
  const listenAt = Deno.listen.bind(Deno);
  const listen: Method = function (host, port) {
    const path = takeAddress(this, address.advertised(Number(port), String(host)), address);
    if (typeof path !== "string") throw path;
    return listenAt({ transport: "unix", path });
  };
  const prototype = http.Server.prototype as unknown as Record<string, Method>;
  prototype._listen = listen;
  Reflect.set(https.Server.prototype, "_listen", listen);
  // Deno does not implement this method, and logs a warning for each server that calls it.
  prototype.setTimeout = function () {
    return this;
  };
  replaceAddress(prototype);
}

/**
 * Makes sockets write buffers one by one. In Deno, a socket that writes several buffers together
 * loses data that the system does not accept immediately, and the peer waits.
 */
function writeOneByOne(): void {
  Reflect.set(net.Socket.prototype, "_writev", null);
}

export function redirectNodeServers(address: ServerAddress): void {
  replaceListen(address);
  replaceHttpListen(address);
  writeOneByOne();
  scopeRequests(http.Server.prototype as unknown as Emitter, adaptRequest);
}
