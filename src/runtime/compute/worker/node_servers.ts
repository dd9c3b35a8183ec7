/**
 * Servers of `node:http` in Deno. Up to 2.6, an `http.Server` is no `net.Server`:
 * it uses Deno's own server, to which `_additionalServeOptions` may pass a path.
 *
 * @module
 */
import http from "node:http";
import https from "node:https";
import net from "node:net";
import {
  type Emitter,
  mayListen,
  type Method,
  replaceAddress,
  replaceListen,
  scopeRequests,
  type ServerAddress,
} from "../engine/mod.ts";

function replaceServe(address: ServerAddress): void {
  const prototype = http.Server.prototype as unknown as Record<string, Method>;
  const serve = prototype._serve!;
  const options: Method = function () {
    return { path: address.socket, onListen: () => this.emit("listening") };
  };
  const ownAddress = prototype.address!;
  prototype._serve = function () {
    const { port, address: host } = ownAddress.call(this) as { port: number; address: string };
    if (mayListen(this, address.advertised(port, host), address)) serve.call(this);
  };
  prototype._additionalServeOptions = options;
  // Deno 2.6 has none, and writes a complaint to the log of each server that calls it.
  prototype.setTimeout = function () {
    return this;
  };
  const secure = https.Server.prototype as unknown as Record<string, Method>;
  secure._additionalServeOptions = options;
  replaceAddress(prototype);
}

/**
 * Up to Deno 2.6, a socket that writes several buffers at once loses what the
 * system does not take at once, and the peer waits: this writes them one by one.
 */
function writeOneByOne(): void {
  Reflect.set(net.Socket.prototype, "_writev", null);
}

/** Redirects the servers of Node to the address. */
export function redirectNodeServers(address: ServerAddress): void {
  const denoServes = !(http.Server.prototype instanceof net.Server);
  replaceListen(address);
  if (denoServes) {
    replaceServe(address);
    writeOneByOne();
  }
  scopeRequests(http.Server.prototype as unknown as Emitter, denoServes);
}
