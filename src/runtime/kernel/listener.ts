/**
 * @module The listener for a system call filter (seccomp_unotify(2)), which handles suspended
 * calls.
 */
import type { Libc } from "./libc.ts";
import { addressOf, EINVAL, lastError, PROCESSOR, systemCall } from "./system_calls.ts";

const SET_MODE_FILTER = 1;
const GET_ACTION_AVAILABLE = 2;
const NEW_LISTENER = 8;
/**
 * With this flag, only fatal signals interrupt a call once it has been received (Linux 5.19 or
 * later).
 */
const WAIT_KILLABLE = 32;
const NOTIFY_ACTION = 0x7fc00000;

const RECEIVE = 0xc0502100n;
const SEND = 0xc0182101n;
const IS_HELD = 0x40082102n;
const CONTINUE = 1;
const ADD_DESCRIPTOR = 0x40182103n;
const O_CLOEXEC = 0x80000;
/** Makes the copied descriptor replace a given descriptor. */
const SET_DESCRIPTOR = 1;

const NOTIFICATION_BYTES = 80;
const ANSWER_BYTES = 24;

/**
 * Maximum number of requests that the kernel can withdraw in a row, for example because a thread
 * has exited.
 */
const MAX_FAILURES = 1000;

/** A suspended call that waits for a decision. */
export interface HeldCall {
  readonly id: bigint;
  /** ID of the calling thread, as this process sees it. */
  readonly thread: number;
  /** Number of the system call. */
  readonly number: number;
  readonly args: readonly bigint[];
}

/** Returns true if the kernel can ask a listener before it makes a call. */
export function canSupervise(libc: Libc): boolean {
  if (PROCESSOR === undefined) return false;
  const action = new Uint8Array(Uint32Array.of(NOTIFY_ACTION).buffer);
  return systemCall(libc, "seccomp", GET_ACTION_AVAILABLE, 0, action) === 0;
}

/**
 * Installs a filter for this thread, and for everything that it starts from now on.
 *
 * @returns the listener's descriptor, or `undefined` if the filter is not in force
 */
export function installFilter(libc: Libc, filter: Uint8Array<ArrayBuffer>): number | undefined {
  const program = new Uint8Array(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, filter.byteLength / 8, true);
  view.setBigUint64(8, addressOf(filter), true);
  for (const flags of [NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER]) {
    const result = systemCall(libc, "seccomp", SET_MODE_FILTER, flags, program);
    if (result >= 0) return result;
    if (result !== -EINVAL) break;
  }
  return undefined;
}

/**
 * Returns whether a call is still waiting. If so, its thread ID still belongs to the calling
 * thread.
 */
export function isHeld(libc: Libc, descriptor: number, id: bigint): boolean {
  return libc.ioctl(descriptor, IS_HELD, new Uint8Array(BigUint64Array.of(id).buffer)) === 0;
}

/**
 * Lets the kernel make the call. This is safe only if the decision did not depend on memory that
 * the caller can change.
 */
export function letContinue(libc: Libc, descriptor: number, id: bigint): void {
  send(libc, descriptor, { id, result: 0n, flags: CONTINUE });
}

/** Completes a call with a result, or with a negative error number. */
export function answerCall(libc: Libc, descriptor: number, id: bigint, result: number): void {
  send(libc, descriptor, { id, result: BigInt(result), flags: 0 });
}

/**
 * Gives the caller of a suspended call a copy of a descriptor. The copy replaces the caller's
 * descriptor `at`, if given. With `isPrivate`, programs that the caller executes do not inherit the
 * copy.
 *
 * @returns the copy's number in the caller, or a negative error number
 */
export function addDescriptor(
  libc: Libc,
  listener: number,
  { id, descriptor, isPrivate, at }: {
    readonly id: bigint;
    readonly descriptor: number;
    readonly isPrivate: boolean;
    readonly at?: number;
  },
): number {
  const request = new Uint8Array(24);
  const view = new DataView(request.buffer);
  view.setBigUint64(0, id, true);
  view.setUint32(8, at === undefined ? 0 : SET_DESCRIPTOR, true);
  view.setUint32(12, descriptor, true);
  view.setUint32(16, at ?? 0, true);
  view.setUint32(20, isPrivate ? O_CLOEXEC : 0, true);
  const result = libc.ioctl(listener, ADD_DESCRIPTOR, request);
  return result === -1 ? -lastError(libc) : result;
}

function send(
  libc: Libc,
  descriptor: number,
  { id, result, flags }: { readonly id: bigint; readonly result: bigint; readonly flags: number },
): void {
  const answer = new Uint8Array(ANSWER_BYTES);
  const view = new DataView(answer.buffer);
  view.setBigUint64(0, id, true);
  view.setBigInt64(8, result < 0n ? 0n : result, true);
  view.setInt32(16, result < 0n ? Number(result) : 0, true);
  view.setUint32(20, flags, true);
  libc.ioctl(descriptor, SEND, answer);
}

/**
 * Handles calls until the process exits. Undecided calls wait or fail, so exiting early never
 * allows a call.
 */
export async function takeCalls(
  libc: Libc,
  descriptor: number,
  take: (call: HeldCall) => void,
): Promise<void> {
  const notification = new Uint8Array(NOTIFICATION_BYTES);
  const view = new DataView(notification.buffer);
  for (let failures = 0; failures < MAX_FAILURES;) {
    notification.fill(0);
    if (await libc.wait(descriptor, RECEIVE, notification) !== 0) {
      failures++;
      continue;
    }
    failures = 0;
    take({
      id: view.getBigUint64(0, true),
      thread: view.getUint32(8, true),
      number: view.getInt32(16, true),
      args: [0, 1, 2, 3, 4, 5].map((index) => view.getBigUint64(32 + index * 8, true)),
    });
  }
}
