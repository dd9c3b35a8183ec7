/** @module The parts of a message (sendmsg(2)): buffers, and descriptors for other processes. */
import { addressOf, EFAULT, EMSGSIZE, EPERM, systemCall } from "../../kernel/system_calls.ts";
import type { Libc } from "../../kernel/libc.ts";
import type { ForeignProcess } from "./foreign_process.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Maximum number of bytes to send with one call. This is more than a datagram can contain. In a
 * stream, the next call sends the rest.
 */
export const MAX_DATA_BYTES = 128 * 1024;

/** Size of struct msghdr, in bytes. */
export const MSGHDR_BYTES = 56;

const MAX_VECTORS = 1024;
const IOVEC_BYTES = 16;

const SOL_SOCKET = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Size of the head of control data (struct cmsghdr) in bytes, and the type of control data that
 * passes descriptors.
 */
const CMSGHDR_BYTES = 16;
const SCM_RIGHTS = 1;

/** Maximum number of descriptors in one message, which is also the kernel's limit. */
const MAX_RIGHTS = 253;

/** Control data is padded to a multiple of this number of bytes. */
const WORD_BYTES = 8;

/** Reads a message's data, or returns a negative error number. */
export function readData(process: ForeignProcess, vectors: bigint, count: bigint): Bytes | number {
  if (count > BigInt(MAX_VECTORS)) return -EMSGSIZE;
  const list = process.read(vectors, Number(count) * IOVEC_BYTES);
  if (list === undefined) return -EFAULT;
  const view = new DataView(list.buffer);
  const parts: Bytes[] = [];
  let size = 0;
  for (let index = 0; index < Number(count) && size < MAX_DATA_BYTES; index++) {
    const bytes = view.getBigUint64(index * IOVEC_BYTES + 8, true);
    const room = BigInt(MAX_DATA_BYTES - size);
    const part = process.read(
      view.getBigUint64(index * IOVEC_BYTES, true),
      Number(bytes < room ? bytes : room),
    );
    if (part === undefined) return -EFAULT;
    parts.push(part);
    size += part.byteLength;
  }
  const data = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.byteLength;
  }
  return data;
}

/** Reads the descriptors passed in a message's control data. Other control data is rejected. */
export function readRights(
  process: ForeignProcess,
  at: bigint,
  bytes: bigint,
): readonly number[] | number {
  if (bytes === 0n) return [];
  const most = CMSGHDR_BYTES + MAX_RIGHTS * 4 + WORD_BYTES;
  if (bytes < BigInt(CMSGHDR_BYTES) || bytes > BigInt(most)) return -EPERM;
  const control = process.read(at, Number(bytes));
  if (control === undefined) return -EFAULT;
  const view = new DataView(control.buffer);
  const length = Number(view.getBigUint64(0, true));
  const isRights = view.getInt32(8, true) === SOL_SOCKET && view.getInt32(12, true) === SCM_RIGHTS;
  // Accepts only a single part. Anything after it must be padding.
  const isAll = length <= control.byteLength && control.byteLength - length < WORD_BYTES;
  if (!isRights || !isAll || length < CMSGHDR_BYTES) return -EPERM;
  const count = Math.floor((length - CMSGHDR_BYTES) / 4);
  return Array.from(
    { length: count },
    (_, index) => view.getInt32(CMSGHDR_BYTES + index * 4, true),
  );
}

/** Writes a message with data and descriptors of this process (struct msghdr). */
function writeMessage(data: Bytes, descriptors: readonly number[]) {
  const length = CMSGHDR_BYTES + descriptors.length * 4;
  const control = new Uint8Array(Math.ceil(length / WORD_BYTES) * WORD_BYTES);
  const head = new DataView(control.buffer);
  head.setBigUint64(0, BigInt(length), true);
  head.setInt32(8, SOL_SOCKET, true);
  head.setInt32(12, SCM_RIGHTS, true);
  descriptors.forEach((each, index) => head.setInt32(CMSGHDR_BYTES + index * 4, each, true));
  const vector = new Uint8Array(
    BigUint64Array.of(addressOf(data), BigInt(data.byteLength)).buffer,
  );
  const message = new Uint8Array(MSGHDR_BYTES);
  const view = new DataView(message.buffer);
  view.setBigUint64(16, addressOf(vector), true);
  view.setBigUint64(24, 1n, true);
  view.setBigUint64(32, addressOf(control), true);
  view.setBigUint64(40, BigInt(control.byteLength), true);
  // The memory that the message points to must not be freed before the message is sent.
  return { message, parts: [data, vector, control] };
}

/**
 * Sends data with a process's descriptors over one of the process's sockets. `socket` is a copy of
 * that socket.
 *
 * @returns the result of the call, or a negative error number
 */
export function sendRights(
  libc: Libc,
  { process, socket, data, flags, rights }: {
    readonly process: ForeignProcess;
    readonly socket: number;
    readonly data: Bytes;
    readonly flags: number;
    readonly rights: readonly number[];
  },
): number {
  const lent: number[] = [];
  try {
    for (const each of rights) {
      const copy = process.lend(each);
      if (copy < 0) return copy;
      lent.push(copy);
    }
    const { message, parts } = writeMessage(data, lent);
    const how = flags | MSG_DONTWAIT | MSG_NOSIGNAL;
    const result = systemCall(libc, "sendmsg", socket, message, how);
    parts.length = 0;
    return result;
  } finally {
    for (const copy of lent) libc.close(copy);
  }
}
