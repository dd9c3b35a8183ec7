/**
 * Decides where the threads of a server may connect to: the kernel holds each
 * call and asks, and the first thread of the process, which shares the memory,
 * answers.
 *
 * @module
 */
import {
  AF_UNIX,
  answerCall,
  EACCES,
  type HeldCall,
  installFilter,
  judgeBind,
  judgeConnect,
  letContinue,
  type Libc,
  type PeerRules,
  PROCESSOR,
  type Processor,
  takeCalls,
} from "../../kernel/mod.ts";
import { endWith } from "../../process/mod.ts";
import { buildFilter } from "./seccomp_filter.ts";

const MAX_SOCKADDR = 128;
/** struct msghdr: name, its length; within struct mmsghdr of 64 bytes. */
const MSGHDR_BYTES = 64;
const MAX_MESSAGES = 1024;

function memory(address: bigint, bytes: number): Uint8Array | undefined {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) return undefined;
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes));
}

class Supervisor {
  constructor(
    private readonly libc: Libc,
    private readonly processor: Processor,
    private readonly descriptor: number,
    private readonly rules: PeerRules,
  ) {}

  take(call: HeldCall): void {
    let error = EACCES;
    try {
      error = this.#judge(call);
    } finally {
      if (error === 0) letContinue(this.libc, this.descriptor, call.id);
      else answerCall(this.libc, this.descriptor, call.id, -error);
    }
  }

  #judge(
    { number: asked, args: [first = 0n, second = 0n, third = 0n, , fifth = 0n, sixth = 0n] }:
      HeldCall,
  ): number {
    const { number } = this.processor;
    if (asked === number("connect")) return this.#judgeName(second, Number(third));
    if (asked === number("bind")) return this.#judgeBind(second, Number(third));
    if (asked === number("sendto")) return this.#judgeName(fifth, Number(sixth));
    if (asked === number("listen")) return this.#judgeListen(Number(first));
    if (asked === number("sendmsg")) return this.#judgeMessage(second);
    const count = Math.min(Number(third), MAX_MESSAGES);
    for (let index = 0; index < count; index++) {
      const error = this.#judgeMessage(second + BigInt(index * MSGHDR_BYTES));
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

  #judgeBind(address: bigint, length: number): number {
    const name = memory(address, Math.min(length, MAX_SOCKADDR));
    return name === undefined ? 0 : judgeBind(name);
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
  if (PROCESSOR === undefined) return false;
  const descriptor = installFilter(libc, buildFilter(PROCESSOR, Deno.pid));
  if (descriptor === undefined) return false;
  const supervisor = new Supervisor(libc, PROCESSOR, descriptor, rules);
  // Nobody else can answer the calls that are held, so the process ends.
  takeCalls(libc, descriptor, (call) => supervisor.take(call)).catch((error) =>
    endWith(`The sandbox failed: ${error}`)
  );
  return true;
}
