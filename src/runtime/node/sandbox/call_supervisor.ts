/**
 * @module Handles the system calls that the kernel suspends: first the calls that start Node, then
 * Node's own calls.
 */
import {
  addDescriptor,
  answerCall,
  type HeldCall,
  isHeld,
  letContinue,
  takeCalls,
} from "../../kernel/listener.ts";
import {
  EAGAIN,
  EPERM,
  EPROTONOSUPPORT,
  type Processor,
  systemCall,
} from "../../kernel/system_calls.ts";
import type { Libc } from "../../kernel/libc.ts";
import { ForeignProcess } from "./foreign_process.ts";
import { processOf } from "./process_limits.ts";
import type { ProcessTree } from "./process_tree.ts";
import { SocketCalls, type SocketRules } from "./socket_calls.ts";

/** The bits of a socket's type that are not flags, and the types for streams and datagrams. */
const TYPE_BITS = 0xf;
const TYPES: ReadonlySet<number> = new Set([1, 2]);
const SOCK_CLOEXEC = 0x80000;

/** Protocol numbers: the default for the socket's type, TCP and UDP. */
const PROTOCOLS: ReadonlySet<number> = new Set([0, 6, 17]);

/** Maximum number of calls that are checked at the same time. Further calls fail. */
const MAX_PENDING = 256;

export interface SupervisorOptions {
  readonly libc: Libc;
  readonly processor: Processor;
  /** File descriptor from which suspended calls are read. */
  readonly listener: number;
  readonly rules: SocketRules;
  /** Number of programs that Node's process executes one after another. Node is the last. */
  readonly programs: number;
  /** The processes that Node can start. If this is missing, Node cannot start any. */
  readonly tree?: ProcessTree | undefined;
  /** Whether the filter also asks about new processes, in addition to programs. */
  readonly asksForks: boolean;
  /**
   * Called with Node's process ID before Node runs. Returns the ID in the process's own namespace.
   */
  readonly begin: (pid: number) => number;
}

/** The state that exists once Node runs. */
interface Begun {
  readonly sockets: SocketCalls;
  /** Node's process ID in its own namespace. */
  readonly ownPid: number;
}

const int = (value: bigint): number => Number(BigInt.asIntN(32, value));

export class CallSupervisor {
  #forks = 0;
  #programs = 0;
  #begun: Begun | undefined;
  #pending = 0;

  readonly #options: SupervisorOptions;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Handles calls until the process exits. */
  run(): Promise<void> {
    const { libc, listener } = this.#options;
    return takeCalls(libc, listener, (call) => {
      // The call has already been completed, with an error.
      this.#take(call).catch(() => {});
    });
  }

  async #take(call: HeldCall): Promise<void> {
    const { libc, listener } = this.#options;
    if (this.#pending >= MAX_PENDING) return answerCall(libc, listener, call.id, -EAGAIN);
    this.#pending++;
    let result = -EPERM;
    try {
      const judged = this.#judge(call);
      if (judged === "continue") return letContinue(libc, listener, call.id);
      result = await judged;
    } finally {
      this.#pending--;
      answerCall(libc, listener, call.id, result);
    }
  }

  /**
   * Returns "continue" only if no memory was checked, because the caller could change the memory
   * afterwards.
   */
  #judge({ id, number: asked, args, thread }: HeldCall): "continue" | number | Promise<number> {
    const { number } = this.#options.processor;
    switch (asked) {
      case number("clone"):
      case number("fork"):
      case number("vfork"):
        return this.#fork();
      case number("execve"):
        return this.#start(thread);
      case number("prctl"):
        return this.#begun === undefined ? "continue" : -EPERM;
    }
    if (this.#begun === undefined) return -EPERM;
    const [a = 0n, b = 0n, c = 0n] = args;
    switch (asked) {
      case number("socket"):
        return this.#open(id, int(a), int(b), int(c));
      case number("kill"):
      case number("tgkill"):
        return this.#signal(thread, int(a), asked === number("kill") ? int(b) : undefined);
    }
    return this.#onSocket({ id, thread, number: asked, args });
  }

  /** Checks a call on a socket of the calling process. */
  #onSocket(call: HeldCall): number | Promise<number> {
    const { libc, listener, rules, tree } = this.#options;
    const { sockets } = this.#begun!;
    if (tree === undefined) return this.#perform(sockets, call);
    const process = ForeignProcess.open(libc, processOf(call.thread));
    if (process === undefined) return -EPERM;
    if (!isHeld(libc, listener, call.id)) {
      process.close();
      return -EPERM;
    }
    return Promise.resolve(this.#perform(new SocketCalls(libc, process, rules), call))
      .finally(() => process.close());
  }

  #perform(sockets: SocketCalls, { id, number: asked, args }: HeldCall): number | Promise<number> {
    const { libc, listener, processor: { number } } = this.#options;
    const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n] = args;
    switch (asked) {
      case number("connect"):
        return sockets.connect(int(a), b, {
          length: int(c),
          replace: (descriptor) =>
            addDescriptor(libc, listener, { id, descriptor, isPrivate: true, at: int(a) }),
        });
      case number("bind"):
        return sockets.bind(int(a), b, int(c));
      case number("listen"):
        return sockets.listen(int(a), int(b));
      case number("sendmsg"):
        return sockets.sendMessage(int(a), b, int(c));
      case number("sendmmsg"):
        return sockets.sendMessages(int(a), { heads: b, count: int(c), flags: int(d) });
      case number("sendto"):
        return sockets.sendTo(int(a), {
          data: b,
          bytes: Number(c),
          flags: int(d),
          peer: e,
          peerBytes: int(f),
        });
    }
    return -EPERM;
  }

  #fork(): "continue" | number {
    const { tree } = this.#options;
    if (this.#begun === undefined || tree === undefined) {
      return this.#forks++ === 0 ? "continue" : -EPERM;
    }
    return tree.grow() ? "continue" : -EAGAIN;
  }

  /**
   * Lets a process signal itself. This process delivers signals to the server's other processes.
   */
  #signal(thread: number, pid: number, signal: number | undefined): "continue" | number {
    const { libc, tree } = this.#options;
    if (tree === undefined) return pid === this.#begun!.ownPid ? "continue" : -EPERM;
    if (pid === processOf(thread)) return "continue";
    if (signal === undefined || pid <= 0) return -EPERM;
    const target = systemCall(libc, "pidfd_open", pid, 0);
    if (target < 0) return target;
    try {
      return tree.has(pid) ? systemCall(libc, "pidfd_send_signal", target, signal, 0, 0) : -EPERM;
    } finally {
      libc.close(target);
    }
  }

  /**
   * Allows only TCP and UDP sockets. If Node has its own network, this process opens the socket.
   * The socket then belongs to the machine's network, which Node itself cannot access.
   */
  #open(id: bigint, family: number, type: number, protocol: number): "continue" | number {
    const { libc, listener, rules } = this.#options;
    if (!TYPES.has(type & TYPE_BITS) || !PROTOCOLS.has(protocol)) return -EPROTONOSUPPORT;
    if (!rules.hasOwnNetwork) return "continue";
    const descriptor = systemCall(libc, "socket", family, type | SOCK_CLOEXEC, protocol);
    if (descriptor < 0) return descriptor;
    const isPrivate = (type & SOCK_CLOEXEC) !== 0;
    const result = addDescriptor(libc, listener, { id, descriptor, isPrivate });
    libc.close(descriptor);
    return result;
  }

  /**
   * Allows the programs that start Node, and Node itself. After that, only a server with a process
   * tree can start programs.
   */
  #start(pid: number): "continue" | number {
    const { libc, programs, rules, begin, tree, asksForks } = this.#options;
    if (this.#programs >= programs) {
      if (tree === undefined) return -EPERM;
      return asksForks || tree.grow() ? "continue" : -EAGAIN;
    }
    this.#programs++;
    if (this.#programs < programs) return "continue";
    const process = ForeignProcess.open(libc, pid);
    if (process === undefined) return -EPERM;
    this.#begun = { sockets: new SocketCalls(libc, process, rules), ownPid: begin(pid) };
    return "continue";
  }
}
