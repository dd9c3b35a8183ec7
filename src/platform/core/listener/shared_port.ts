/** A port that two processes share while one takes over (docs/decisions/runtime.md). @module */
import { isOn, listens } from "./accepted_options.ts";
import { descriptors, type Libc, openLibc } from "./libc.ts";

const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_REUSEPORT = 15;
const SO_ATTACH_FILTER = 26;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const SO_DETACH_REUSEPORT_BPF = 68;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const AF_INET6 = 10;
/** Size of `struct sockaddr_in6`, the longest address of an IP socket, in bytes. */
const ADDRESS_BYTES = 28;

/** Classic BPF instructions (bpf(4)), and the address at which a program reads a random number. */
const [LOAD_WORD, MODULO, ADD, RETURN_A, RETURN] = [0x20, 0x94, 0x04, 0x16, 0x06];
const RANDOM = 0xfffff000 + 56;

const INSTRUCTION_BYTES = 8;
const PROGRAM_BYTES = 16;

type Step = readonly [code: number, value: number];

/**
 * Creates a program that chooses one of `count` sockets at random, starting at position `first`.
 */
const chooser = (first: number, count: number): readonly Step[] => [
  [LOAD_WORD, RANDOM],
  [MODULO, count],
  [ADD, first],
  [RETURN_A, 0],
];

/**
 * A program that drops every packet. Clients resend a connection's first packet after one second.
 */
const DROPS_ALL: readonly Step[] = [[RETURN, 0]];

function setNumber(libc: Libc, descriptor: number, [level, option]: Step, value: number): boolean {
  const given = Int32Array.of(value);
  return libc.setsockopt(descriptor, level, option, given, given.byteLength) === 0;
}

function setProgram(
  libc: Libc,
  descriptor: number,
  option: number,
  steps: readonly Step[],
): boolean {
  const program = new DataView(new ArrayBuffer(steps.length * INSTRUCTION_BYTES));
  for (const [at, [code, value]] of steps.entries()) {
    program.setUint16(at * INSTRUCTION_BYTES, code, true);
    program.setUint32(at * INSTRUCTION_BYTES + 4, value, true);
  }
  const view = new DataView(new ArrayBuffer(PROGRAM_BYTES));
  view.setUint16(0, steps.length, true);
  view.setBigUint64(8, BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(program))), true);
  const given = new Uint8Array(view.buffer);
  return libc.setsockopt(descriptor, SOL_SOCKET, option, given, PROGRAM_BYTES) === 0;
}

function listeningOn(libc: Libc, port: number): readonly number[] {
  return descriptors().filter((each) => isOn(libc, each, port) && listens(libc, each));
}

function reusesPort(libc: Libc, descriptor: number): boolean {
  const value = new Int32Array(1);
  const size = Uint32Array.of(value.byteLength);
  return libc.getsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, value, size) === 0 && value[0] === 1;
}

/**
 * Sets whether this user's other sockets may also listen on the port. Returns the process's own
 * sockets.
 */
function setShared(libc: Libc, port: number, isShared: boolean): readonly number[] {
  const sockets = listeningOn(libc, port);
  for (const each of sockets) {
    setNumber(libc, each, [SOL_SOCKET, SO_REUSEPORT], isShared ? 1 : 0);
  }
  return sockets;
}

/**
 * Makes the system pass all new connections to these sockets, regardless of which other sockets
 * join the group.
 *
 * Only a group accepts such a program. A socket that was listening before the port was shared is
 * not in a group until another socket joins. Therefore, a temporary socket joins, drops packets
 * that arrive in the meantime, and is closed immediately.
 */
function keepConnections(libc: Libc, sockets: readonly number[]): void {
  const first = sockets[0]!;
  const program = chooser(0, sockets.length);
  if (setProgram(libc, first, SO_ATTACH_REUSEPORT_CBPF, program)) return;
  const address = new Uint8Array(ADDRESS_BYTES);
  const size = Uint32Array.of(ADDRESS_BYTES);
  if (libc.getsockname(first, address, size) !== 0) return;
  const family = new DataView(address.buffer).getUint16(0, true);
  const joining = libc.socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (joining < 0) return;
  if (family === AF_INET6) {
    const only = new Int32Array(1);
    libc.getsockopt(first, IPPROTO_IPV6, IPV6_V6ONLY, only, Uint32Array.of(only.byteLength));
    setNumber(libc, joining, [IPPROTO_IPV6, IPV6_V6ONLY], only[0]!);
  }
  setNumber(libc, joining, [SOL_SOCKET, SO_REUSEADDR], 1);
  setNumber(libc, joining, [SOL_SOCKET, SO_REUSEPORT], 1);
  const isJoined = setProgram(libc, joining, SO_ATTACH_FILTER, DROPS_ALL) &&
    libc.bind(joining, address, size[0]!) === 0 && libc.listen(joining, 1) === 0;
  if (isJoined) setProgram(libc, first, SO_ATTACH_REUSEPORT_CBPF, program);
  libc.close(joining);
}

/**
 * Lets other processes of this user listen on this process's port. This process keeps getting all
 * new connections until another process attracts them. Returns how many sockets this process has on
 * the port: 0 on systems that cannot share a port.
 */
export function sharePort(port: number): number {
  const libc = openLibc();
  if (libc === undefined) return 0;
  const sockets = setShared(libc, port, true);
  if (sockets.length > 0) keepConnections(libc, sockets);
  return sockets.length;
}

/**
 * Joins a port on which this process already listens. Returns `false` if the port cannot be shared.
 */
export function joinPort(port: number): boolean {
  const libc = openLibc();
  return libc !== undefined && setShared(libc, port, true).length > 0;
}

/**
 * Opens a second socket of this process on a port. If `takesAll`, the second socket gets all new
 * connections from then on, and the first keeps those that it has already accepted. Call {@link
 * endSharing} once the first socket is closed. Returns `undefined` if the system cannot share a
 * port, or if other processes already share this one.
 */
export function openBeside<T>(
  port: number,
  open: () => T,
): { readonly opened: T; readonly takesAll: boolean } | undefined {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const [first, ...others] = listeningOn(libc, port);
  if (first === undefined || others.length > 0 || reusesPort(libc, first)) return undefined;
  setShared(libc, port, true);
  try {
    const opened = open();
    // The new socket is the second one in the group, because it joined last.
    const takesAll = setProgram(libc, first, SO_ATTACH_REUSEPORT_CBPF, [[RETURN, 1]]);
    return { opened, takesAll };
  } catch {
    endSharing(port);
    return undefined;
  }
}

/** Stops sharing a port, and removes the program that directs its connections. */
export function endSharing(port: number): void {
  stopAttracting(port);
  const libc = openLibc();
  if (libc !== undefined) setShared(libc, port, false);
}

/**
 * Makes the system pass all new connections on a shared port to this process's sockets, which
 * joined after `others` sockets of another process. Returns whether it succeeded.
 */
export function attractConnections(port: number, others: number): boolean {
  const libc = openLibc();
  if (libc === undefined) return false;
  const sockets = listeningOn(libc, port);
  if (sockets.length === 0) return false;
  const program = chooser(others, sockets.length);
  return setProgram(libc, sockets[0]!, SO_ATTACH_REUSEPORT_CBPF, program);
}

/**
 * Stops the system from passing new connections on a shared port to this process. This process's
 * sockets close one after the other, while another process's sockets stay open.
 *
 * When a socket closes, the last socket of the group takes its position. If a program names an
 * empty position, the system chooses any socket. If that socket is also about to close, the
 * connections in its queue are lost. Therefore, the program names the first position after this
 * process's own sockets. That position contains a socket until as many sockets have closed as the
 * other process has. After that, a connection's first packet to one of this process's sockets is
 * dropped, and the client resends it after one second.
 */
export function stopReceiving(port: number): void {
  const libc = openLibc();
  if (libc === undefined) return;
  const sockets = listeningOn(libc, port);
  if (sockets.length === 0) return;
  setProgram(libc, sockets[0]!, SO_ATTACH_REUSEPORT_CBPF, [[RETURN, sockets.length]]);
  for (const each of sockets) setProgram(libc, each, SO_ATTACH_FILTER, DROPS_ALL);
}

/** Removes the program that directs a port's connections. */
export function stopAttracting(port: number): void {
  const libc = openLibc();
  if (libc === undefined) return;
  for (const each of listeningOn(libc, port)) {
    setNumber(libc, each, [SOL_SOCKET, SO_DETACH_REUSEPORT_BPF], 0);
  }
}
