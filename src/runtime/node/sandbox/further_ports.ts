/**
 * @module Additional ports of a server on Node. Each additional port is a Unix socket next to the
 * server's own socket, and only the server's processes and the platform can reach it. When a
 * process connects to such a port, its socket is replaced with one that is connected to that Unix
 * socket.
 */
import { ECONNREFUSED, ENOENT, systemCall } from "../../kernel/system_calls.ts";
import { AF_UNIX } from "../../kernel/judge_connect.ts";
import type { Libc } from "../../kernel/libc.ts";
import { unixAddress } from "./socket_names.ts";

const F_GETFL = 3;
const F_SETFL = 4;

const [SOL_SOCKET, SO_TYPE] = [1, 3];
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0x800;
const SOCK_CLOEXEC = 0x80000;

/** Replaces the caller's socket with another socket. Returns a negative error number on failure. */
export type ReplaceSocket = (socket: number) => number;

export const furtherPath = (server: string, port: number): string => `${server}-${port}`;

function typeOf(libc: Libc, socket: number): number {
  const value = new Uint8Array(4);
  const size = new Uint8Array(Uint32Array.of(4).buffer);
  systemCall(libc, "getsockopt", socket, SOL_SOCKET, SO_TYPE, value, size);
  return new DataView(value.buffer).getInt32(0, true);
}

/**
 * Connects the caller of a suspended call to an additional port.
 *
 * @param asked a copy of the caller's socket
 * @returns 0, a negative error number, or `undefined` if the port has never existed
 */
export function connectFurther(
  libc: Libc,
  { asked, path, replace }: {
    readonly asked: number;
    readonly path: string;
    readonly replace: ReplaceSocket;
  },
): number | undefined {
  if (typeOf(libc, asked) !== SOCK_STREAM) return undefined;
  const flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  const socket = systemCall(libc, "socket", AF_UNIX, flags, 0);
  if (socket < 0) return socket;
  try {
    const address = unixAddress(path);
    const result = systemCall(libc, "connect", socket, address, address.byteLength);
    if (result === -ENOENT) return undefined;
    // A full queue also counts as a refused connection, because this thread cannot wait.
    if (result < 0) return -ECONNREFUSED;
    systemCall(libc, "fcntl", socket, F_SETFL, systemCall(libc, "fcntl", asked, F_GETFL, 0));
    return Math.min(replace(socket), 0);
  } finally {
    libc.close(socket);
  }
}
