/**
 * @module Supports named Unix sockets, which programs like tsx use to receive messages from their
 * child processes. A server that listens on a named socket gets an additional port. A file with the
 * socket's name contains the port, for the server's other processes. Nothing else can reach the
 * port.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import net from "node:net";
import process from "node:process";
import type { Method } from "../../compute/engine/node_servers.ts";
import type { ServerAddress } from "../../compute/engine/address.ts";

/** Matches the content of a file that contains the port of a named socket. */
const LEADS_TO = /^svc:port:(\d{1,5})\n$/;
const MAX_BYTES = 16;

interface Options {
  readonly path?: unknown;
}

/**
 * Returns the name in the arguments of `listen()` or `connect()`. A number is a port, and a name
 * that starts with "\0" is not a file.
 */
function nameIn(first: unknown): string | undefined {
  const path = typeof first === "object" && first !== null ? (first as Options).path : first;
  if (typeof path !== "string" || path === "" || path.startsWith("\0")) return undefined;
  return typeof first === "string" && /^\d+$/.test(first) ? undefined : path;
}

function portOf(name: string): number | undefined {
  try {
    const { size } = statSync(name);
    const port = size > MAX_BYTES ? undefined : LEADS_TO.exec(readFileSync(name, "latin1"))?.[1];
    return port === undefined ? undefined : Number(port);
  } catch {
    return undefined;
  }
}

/** Creates the file, as the system does for a socket, and returns the error for `listen()`. */
function claim(name: string, port: number): NodeJS.ErrnoException | undefined {
  try {
    writeFileSync(name, `svc:port:${port}\n`, { flag: "wx", mode: 0o600 });
    return undefined;
  } catch (error) {
    const { code = "EACCES", errno } = error as NodeJS.ErrnoException;
    const refused = code === "EEXIST" ? "EADDRINUSE" : code;
    return Object.assign(new Error(`listen ${refused}: ${name}`), {
      code: refused,
      errno: code === "EEXIST" ? -98 : errno,
      syscall: "listen",
      address: name,
      port: -1,
    });
  }
}

/** Makes a server listen on a named socket. */
function listenAt(
  server: net.Server,
  name: string,
  { address, listen, args }: {
    readonly address: ServerAddress;
    readonly listen: Method;
    readonly args: readonly unknown[];
  },
): unknown {
  const port = address.takeHidden();
  const refused = port === undefined ? undefined : claim(name, port);
  if (port === undefined || refused !== undefined) {
    if (port === undefined) return Reflect.apply(listen, server, args);
    address.release(address.pathOf(port));
    process.nextTick(() => server.emit("error", refused));
    return server;
  }
  server.once("close", () => {
    rmSync(name, { force: true });
    address.release(address.pathOf(port));
  });
  Object.defineProperty(server, "address", {
    value: () => server.listening ? name : null,
    configurable: true,
    writable: true,
  });
  const callback = args.find((argument) => typeof argument === "function");
  const path = { path: address.pathOf(port) };
  return Reflect.apply(listen, server, callback === undefined ? [path] : [path, callback]);
}

/** Returns the arguments of `connect()`, with the name replaced by its port. */
function leadBack(args: unknown[]): unknown[] {
  const [first] = args;
  // Node itself calls the function with an array of arguments that it has marked as normalized.
  const given: unknown = Array.isArray(first) ? first[0] : first;
  const name = nameIn(given);
  const port = name === undefined ? undefined : portOf(name);
  if (port === undefined) return args;
  const rest = typeof given === "object" ? given : {};
  const options = { ...rest, path: undefined, host: "127.0.0.1", port };
  if (!Array.isArray(first)) return [options, ...args.slice(1)];
  first[0] = options;
  return args;
}

/**
 * Makes Node's servers listen on named sockets, and Node's sockets connect to them.
 *
 * @param listen Node's own `listen`
 */
export function redirectNames(address: ServerAddress, listen: Method): void {
  const servers = net.Server.prototype as unknown as Record<string, Method>;
  const other = servers.listen!;
  servers.listen = function (...args) {
    const name = nameIn(args[0]);
    // The first process of a cluster listens for its workers on the server's own sockets.
    if (name === undefined || name.startsWith(address.socket)) return other.apply(this, args);
    return listenAt(this as unknown as net.Server, name, { address, listen, args });
  };
  const sockets = net.Socket.prototype as unknown as { connect: (...args: unknown[]) => unknown };
  const { connect } = sockets;
  sockets.connect = function (...args) {
    return Reflect.apply(connect, this, leadBack(args));
  };
}
