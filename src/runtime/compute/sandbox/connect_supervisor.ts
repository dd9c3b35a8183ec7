/**
 * @module Decides where a server's threads may connect. The kernel suspends each call until the
 * first thread of the process, which shares the memory of the other threads, has decided.
 */
import {
  addressOf,
  EACCES,
  EINPROGRESS,
  PROCESSOR,
  type Processor,
} from "../../kernel/system_calls.ts";
import { AF_UNIX, judgeBind, judgeConnect, type PeerRules } from "../../kernel/judge_connect.ts";
import {
  answerCall,
  type HeldCall,
  installFilter,
  letContinue,
  takeCalls,
} from "../../kernel/listener.ts";
import { findLocalRoute, portOf, type RoutedConnect } from "../../kernel/local_routes.ts";
import type { Libc } from "../../kernel/libc.ts";
import { endWith } from "../../process/serve_platform.ts";
import { buildFilter } from "./seccomp_filter.ts";

const MAX_SOCKADDR = 128;
const SOL_SOCKET = 1;
const SO_ERROR = 4;
/**
 * Size of `struct mmsghdr`. This structure starts with a `struct msghdr`, which begins with the
 * name and the name's length.
 */
const MSGHDR_BYTES = 64;
const MAX_MESSAGES = 1024;

function memory(address: bigint, bytes: number): Uint8Array | undefined {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) return undefined;
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes));
}

interface SupervisorOptions {
  readonly libc: Libc;
  readonly processor: Processor;
  /** File descriptor from which suspended calls are read. */
  readonly descriptor: number;
  readonly rules: PeerRules;
  /** Called with the source port of a connection to an announced route. */
  readonly announce: (port: number) => void;
}

class Supervisor {
  /** Pointers that this class passes to its own `connect` calls, which the kernel also suspends. */
  readonly #own = new Set<bigint>();

  readonly #options: SupervisorOptions;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  take(call: HeldCall): void {
    const { libc, descriptor, rules } = this.#options;
    const routed = this.#routed(call, rules);
    if (routed !== undefined) {
      this.#connectLocally(Number(call.args[0]), routed).then(
        (error) => answerCall(libc, descriptor, call.id, -error),
        () => answerCall(libc, descriptor, call.id, -EACCES),
      );
      return;
    }
    let error = EACCES;
    try {
      error = this.#judge(call);
    } finally {
      if (error === 0) letContinue(libc, descriptor, call.id);
      else answerCall(libc, descriptor, call.id, -error);
    }
  }

  #routed({ number, args }: HeldCall, { routes }: PeerRules): RoutedConnect | undefined {
    if (number !== this.#options.processor.number("connect")) return undefined;
    const name = memory(args[1]!, Math.min(Number(args[2]), MAX_SOCKADDR));
    return name === undefined ? undefined : findLocalRoute(name, routes);
  }

  /** Connects a socket, which this thread shares with the caller. Returns 0 or an error. */
  async #connectLocally(
    socket: number,
    { address, route }: RoutedConnect,
  ): Promise<number> {
    const { libc, announce } = this.#options;
    const place = addressOf(address);
    this.#own.add(place);
    const result = await libc.connect(socket, address, address.byteLength)
      .finally(() => this.#own.delete(place));
    const port = portOf(this.#nameOf(socket));
    if (route.isAnnounced && port !== undefined) announce(port);
    // The call ran on another thread, whose errno cannot be read here. Therefore, the socket's
    // error is read.
    return result === 0 ? 0 : this.#errorOf(socket) || EINPROGRESS;
  }

  #errorOf(socket: number): number {
    const value = new Uint8Array(4);
    const size = new Uint8Array(Uint32Array.of(4).buffer);
    const { libc } = this.#options;
    const result = libc.getsockopt(socket, SOL_SOCKET, SO_ERROR, value, size);
    return result < 0 ? EACCES : new DataView(value.buffer).getInt32(0, true);
  }

  /** Returns a socket's local address, or zeros if it has none. */
  #nameOf(socket: number): Uint8Array {
    const name = new Uint8Array(MAX_SOCKADDR);
    const size = new Uint8Array(Uint32Array.of(MAX_SOCKADDR).buffer);
    this.#options.libc.getsockname(socket, name, size);
    return name;
  }

  #judge(
    { number: asked, args: [first = 0n, second = 0n, third = 0n, , fifth = 0n, sixth = 0n] }:
      HeldCall,
  ): number {
    const { number } = this.#options.processor;
    if (asked === number("connect") && this.#own.has(second)) return 0;
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

  /** Allows a server to listen on a Unix socket, but not on a port. */
  #judgeListen(descriptor: number): number {
    const name = this.#nameOf(descriptor);
    return name[0] === AF_UNIX && name[1] === 0 ? 0 : EACCES;
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
    return name === undefined ? 0 : judgeConnect(name, this.#options.rules);
  }
}

/**
 * Installs the filter for this thread, and for all threads that it starts from now on.
 *
 * @returns whether the filter is in force
 */
export function filterSystemCalls(
  libc: Libc,
  rules: PeerRules,
  announce: (port: number) => void,
): boolean {
  if (PROCESSOR === undefined) return false;
  const descriptor = installFilter(libc, buildFilter(PROCESSOR, Deno.pid));
  if (descriptor === undefined) return false;
  const supervisor = new Supervisor({ libc, processor: PROCESSOR, descriptor, rules, announce });
  // Nothing else can handle the suspended calls, so the process exits.
  takeCalls(libc, descriptor, (call) => supervisor.take(call)).catch((error) =>
    endWith(`The sandbox failed: ${error}`)
  );
  return true;
}
