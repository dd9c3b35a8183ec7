/**
 * The filter of system calls (seccomp(2), classic BPF) of the process of a
 * server: calls that start programs or reach into others are refused, signals
 * go to the process itself only, and calls that name a peer or begin to listen
 * are decided by the process's first thread.
 *
 * @module
 */

/** Numbers of system calls, by processor. */
interface Calls {
  /** AUDIT_ARCH of the processor. */
  readonly arch: number;
  readonly refused: readonly number[];
  /** Calls whose first argument is the process that gets a signal. */
  readonly signals: readonly number[];
  readonly connect: number;
  readonly sendto: number;
  readonly sendmsg: number;
  readonly sendmmsg: number;
  readonly listen: number;
  readonly seccomp: number;
}

/**
 * execve, execveat, ptrace, process_vm_*, mount and namespaces, io_uring, bpf, keys, pidfd_getfd,
 * tkill, pidfd_send_signal …
 */
const REFUSED_X64 = [
  57,
  58,
  59,
  322,
  101,
  310,
  311,
  165,
  166,
  272,
  308,
  425,
  426,
  427,
  321,
  248,
  249,
  250,
  438,
  155,
  161,
  298,
  246,
  320,
  175,
  313,
  169,
  323,
  428,
  429,
  430,
  432,
  442,
  200,
  424,
];

const REFUSED_ARM64 = [
  221,
  281,
  117,
  270,
  271,
  40,
  39,
  97,
  268,
  425,
  426,
  427,
  280,
  217,
  218,
  219,
  438,
  41,
  51,
  241,
  104,
  294,
  105,
  273,
  142,
  282,
  428,
  429,
  430,
  432,
  442,
  130,
  424,
];

export const CALLS: Readonly<Record<string, Calls>> = {
  x86_64: {
    arch: 0xc000003e,
    refused: REFUSED_X64,
    signals: [62, 129, 234, 297],
    connect: 42,
    sendto: 44,
    sendmsg: 46,
    sendmmsg: 307,
    listen: 50,
    seccomp: 317,
  },
  aarch64: {
    arch: 0xc00000b7,
    refused: REFUSED_ARM64,
    signals: [129, 138, 131, 240],
    connect: 203,
    sendto: 206,
    sendmsg: 211,
    sendmmsg: 269,
    listen: 201,
    seccomp: 277,
  },
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const NOTIFY = 0x7fc00000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050000 | 1;

/** Offsets in struct seccomp_data. */
const NUMBER = 0;
const ARCH = 4;
const FIRST_LOW = 16;
const FIFTH_LOW = 16 + 4 * 8;
const FIFTH_HIGH = FIFTH_LOW + 4;

/** System calls of another calling convention of the same processor (x32). */
const FOREIGN_ABI = 0x40000000;

interface Step {
  readonly code: number;
  readonly k: number;
  readonly jt?: number;
  readonly jf?: number;
}

/**
 * Writes the filter.
 *
 * @param pid the process itself
 */
export function buildFilter(calls: Calls, pid: number): Uint8Array<ArrayBuffer> {
  const steps: Step[] = [
    { code: LOAD, k: ARCH },
    { code: JUMP_EQUAL, k: calls.arch, jt: 1, jf: 0 },
    { code: RETURN, k: KILL_PROCESS },
    { code: LOAD, k: NUMBER },
    { code: JUMP_AT_LEAST, k: FOREIGN_ABI, jt: 0, jf: 1 },
    { code: RETURN, k: EPERM },
  ];
  const answer = (number: number, k: number): void => {
    steps.push({ code: JUMP_EQUAL, k: number, jt: 0, jf: 1 }, { code: RETURN, k });
  };
  for (const number of calls.refused) answer(number, EPERM);
  for (const number of calls.signals) {
    steps.push(
      { code: JUMP_EQUAL, k: number, jt: 0, jf: 4 },
      { code: LOAD, k: FIRST_LOW },
      { code: JUMP_EQUAL, k: pid, jt: 0, jf: 1 },
      { code: RETURN, k: ALLOW },
      { code: RETURN, k: EPERM },
    );
  }
  const { connect, sendmsg, sendmmsg, listen } = calls;
  for (const number of [connect, sendmsg, sendmmsg, listen]) answer(number, NOTIFY);
  // Most calls of `sendto` name no peer: those stay with the kernel.
  steps.push(
    { code: JUMP_EQUAL, k: calls.sendto, jt: 0, jf: 5 },
    { code: LOAD, k: FIFTH_LOW },
    { code: JUMP_EQUAL, k: 0, jt: 0, jf: 2 },
    { code: LOAD, k: FIFTH_HIGH },
    { code: JUMP_EQUAL, k: 0, jt: 1, jf: 0 },
    { code: RETURN, k: NOTIFY },
    { code: RETURN, k: ALLOW },
  );
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  steps.forEach(({ code, k, jt = 0, jf = 0 }, at) => {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jt);
    view.setUint8(at * 8 + 3, jf);
    view.setUint32(at * 8 + 4, k >>> 0, true);
  });
  return new Uint8Array(view.buffer);
}
