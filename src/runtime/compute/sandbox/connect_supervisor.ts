/**
 * Decides where the threads of a server may connect to: the kernel holds each
 * call and asks (seccomp_unotify(2)), and the first thread of the process answers.
 *
 * @module
 */
import { AF_UNIX, EACCES, judgeConnect, type PeerRules } from "./judge_connect.ts";
import type { Libc } from "./libc.ts";
import { buildFilter, CALLS } from "./seccomp_filter.ts";

const SET_MODE_FILTER = 1n;
const GET_ACTION_AVAILABLE = 2n;
const NEW_LISTENER = 8n;
const NOTIFY_ACTION = 0x7fc00000;

const RECEIVE = 0xc0502100n;
const SEND = 0xc0182101n;
const CONTINUE = 1;

const NOTIFICATION_BYTES = 80;
const ANSWER_BYTES = 24;
const MAX_SOCKADDR = 128;
const MSGHDR_BYTES = 64;
/** struct msghdr: name, its length; within struct mmsghdr of 64 bytes. */
const MAX_MESSAGES = 1024;

/** How often in a row the kernel may have nothing to ask after all, as when a thread has ended. */
const MAX_FAILURES = 1000;

function memory(address: bigint, bytes: number): Uint8Array | undefined {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) return undefined;
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes));
}

/** True where the kernel can ask before it performs a call. */
export function canSupervise(libc: Libc): boolean {
  const calls = CALLS[Deno.build.arch];
  if (calls === undefined) return false;
  const action = new Uint8Array(Uint32Array.of(NOTIFY_ACTION).buffer);
  return libc.callFor(BigInt(calls.seccomp), GET_ACTION_AVAILABLE, 0n, action, 0n) === 0n;
}

class Supervisor {
  readonly #notification = new Uint8Array(NOTIFICATION_BYTES);
  readonly #answer = new Uint8Array(ANSWER_BYTES);

  constructor(
    private readonly libc: Libc,
    private readonly descriptor: number,
    private readonly rules: PeerRules,
  ) {}

  /** Answers until the process ends. Unanswered calls wait or fail, so an early end opens nothing. */
  async run(): Promise<void> {
    for (let failures = 0; failures < MAX_FAILURES;) {
      this.#notification.fill(0);
      if (await this.libc.wait(this.descriptor, RECEIVE, this.#notification) !== 0) {
        failures++;
        continue;
      }
      failures = 0;
      const view = new DataView(this.#notification.buffer);
      let error = EACCES;
      try {
        error = this.#judge(view);
      } finally {
        this.#send(view.getBigUint64(0, true), error);
      }
    }
  }

  #send(id: bigint, error: number): void {
    const view = new DataView(this.#answer.buffer);
    view.setBigUint64(0, id, true);
    view.setBigInt64(8, 0n, true);
    view.setInt32(16, -error, true);
    view.setUint32(20, error === 0 ? CONTINUE : 0, true);
    this.libc.ioctl(this.descriptor, SEND, this.#answer);
  }

  #judge(view: DataView): number {
    const calls = CALLS[Deno.build.arch]!;
    const number = view.getInt32(16, true);
    const argument = (index: number): bigint => view.getBigUint64(32 + index * 8, true);
    if (number === calls.connect) return this.#judgeName(argument(1), Number(argument(2)));
    if (number === calls.sendto) return this.#judgeName(argument(4), Number(argument(5)));
    if (number === calls.listen) return this.#judgeListen(Number(argument(0)));
    if (number === calls.sendmsg) return this.#judgeMessage(argument(1));
    const count = Math.min(Number(argument(2)), MAX_MESSAGES);
    for (let index = 0; index < count; index++) {
      const error = this.#judgeMessage(argument(1) + BigInt(index * MSGHDR_BYTES));
      if (error !== 0) return error;
    }
    return 0;
  }

  /** A server listens on its Unix socket, and on no port. */
  #judgeListen(descriptor: number): number {
    const name = new Uint8Array(MAX_SOCKADDR);
    const size = new Uint8Array(Uint32Array.of(MAX_SOCKADDR).buffer);
    const known = this.libc.getsockname(descriptor, name, size) === 0;
    return known && name[0] === AF_UNIX && name[1] === 0 ? 0 : EACCES;
  }

  #judgeMessage(address: bigint): number {
    const header = memory(address, 16);
    if (header === undefined) return 0;
    const view = new DataView(header.slice().buffer);
    return this.#judgeName(view.getBigUint64(0, true), view.getUint32(8, true));
  }

  #judgeName(address: bigint, length: number): number {
    const bytes = Math.min(length, MAX_SOCKADDR);
    const name = bytes === 0 ? undefined : memory(address, bytes);
    return name === undefined ? 0 : judgeConnect(name, this.rules);
  }
}

/**
 * Installs the filter for this thread and those that it starts from now on.
 *
 * @returns whether the filter is in force
 */
export function filterSystemCalls(libc: Libc, rules: PeerRules): boolean {
  const calls = CALLS[Deno.build.arch];
  if (calls === undefined || !canSupervise(libc)) return false;
  const filter = buildFilter(calls, Deno.pid);
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, filter.byteLength / 8, true);
  const at = Deno.UnsafePointer.value(Deno.UnsafePointer.of(filter));
  program.setBigUint64(8, BigInt(at), true);
  const bytes = new Uint8Array(program.buffer);
  const result = Number(
    libc.callFor(BigInt(calls.seccomp), SET_MODE_FILTER, NEW_LISTENER, bytes, 0n),
  );
  if (result < 0) return false;
  void new Supervisor(libc, result, rules).run();
  return true;
}
