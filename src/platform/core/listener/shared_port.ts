/**
 * A port that two processes of one user share while one takes over from the other
 * (docs/decisions/graceful-restart.md).
 *
 * @module
 */
import { isOn, listens } from "./accepted_options.ts";
import { descriptors, type Libc, openLibc } from "./libc.ts";

const SOL_SOCKET = 1;
const SO_REUSEPORT = 15;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const SO_DETACH_REUSEPORT_BPF = 68;

/** Instructions of classic BPF (bpf(4)), and where Linux has a random number. */
const [LOAD_WORD, MODULO, ADD, RETURN_A] = [0x20, 0x94, 0x04, 0x16];
const RANDOM = 0xfffff000 + 56;

const INSTRUCTION_BYTES = 8;
const PROGRAM_BYTES = 16;

function listeningOn(libc: Libc, port: number): readonly number[] {
  return descriptors().filter((each) => isOn(libc, each, port) && listens(libc, each));
}

/** Sets whether other sockets of this user may listen on the port too; returns how many share it. */
function setShared(port: number, isShared: boolean): number {
  const libc = openLibc();
  if (libc === undefined) return 0;
  const value = Int32Array.of(isShared ? 1 : 0);
  const sockets = listeningOn(libc, port);
  for (const each of sockets) {
    libc.setsockopt(each, SOL_SOCKET, SO_REUSEPORT, value, value.byteLength);
  }
  return sockets.length;
}

/**
 * Lets other processes of this user listen on a port that this process listens on.
 * Returns the number of its sockets there: 0 on systems that cannot share a port.
 */
export function sharePort(port: number): number {
  return setShared(port, true);
}

/** Takes {@link sharePort} back. */
export function unsharePort(port: number): void {
  setShared(port, false);
}

/** The program that chooses one of `count` sockets from `first` on, at random. */
function chooser(first: number, count: number): Uint8Array<ArrayBuffer> {
  const steps = [[LOAD_WORD, RANDOM], [MODULO, count], [ADD, first], [RETURN_A, 0]] as const;
  const view = new DataView(new ArrayBuffer(steps.length * INSTRUCTION_BYTES));
  for (const [at, [code, value]] of steps.entries()) {
    view.setUint16(at * INSTRUCTION_BYTES, code, true);
    view.setUint32(at * INSTRUCTION_BYTES + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

/**
 * Has the system pass all new connections of a shared port to the sockets of this
 * process, which joined after `others` sockets of another one. Returns whether it does.
 */
export function attractConnections(port: number, others: number): boolean {
  const libc = openLibc();
  if (libc === undefined) return false;
  const sockets = listeningOn(libc, port);
  if (sockets.length === 0) return false;
  const program = chooser(others, sockets.length);
  const view = new DataView(new ArrayBuffer(PROGRAM_BYTES));
  view.setUint16(0, program.byteLength / INSTRUCTION_BYTES, true);
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(program));
  view.setBigUint64(8, BigInt(address), true);
  const given = new Uint8Array(view.buffer);
  return libc.setsockopt(
    sockets[0]!,
    SOL_SOCKET,
    SO_ATTACH_REUSEPORT_CBPF,
    given,
    PROGRAM_BYTES,
  ) ===
    0;
}

/** Ends {@link attractConnections}: the sockets of the other process are closed. */
export function stopAttracting(port: number): void {
  const libc = openLibc();
  if (libc === undefined) return;
  const none = Int32Array.of(0);
  for (const each of listeningOn(libc, port)) {
    libc.setsockopt(each, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, none, none.byteLength);
  }
}
