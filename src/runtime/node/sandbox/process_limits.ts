/** @module Limits for Node's process, set before it starts, and measurement of its memory usage. */
import type { Libc } from "../../kernel/libc.ts";
import { limitDescriptors } from "../../kernel/limit_descriptors.ts";
import { systemCall } from "../../kernel/system_calls.ts";

/** Resource limit numbers (getrlimit(2)). */
const RLIMIT_FSIZE = 1;
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
const RLIMIT_AS = 9;

const MIB = 1024 * 1024;

/**
 * Maximum number of Node's threads. Applies only if Node has its own user, because threads are
 * counted per user.
 */
const MAX_THREADS = 512;

/**
 * Private memory (`RLIMIT_DATA`) that can be reserved in addition to the memory limit, in MiB, for
 * thread stacks and for the engine. This limit stops a process that allocates memory faster than
 * its usage is checked.
 */
const SPARE_MB = 2048;

/**
 * Maximum address space in MiB. It is limited because an engine reserves a lot of address space,
 * and page tables grow with the reserved space.
 */
const MAX_ADDRESS_SPACE_MB = 512 * 1024;

/** Fields that contain a process's memory, including its part of shared pages. */
const SHARES = /^(?:Pss|SwapPss):\s+(\d+) kB$/gm;

/** Node's priority for the out-of-memory killer (proc(5), oom_score_adj). */
const OOM_SCORE = "500";

interface NodeLimits {
  /** Maximum resident memory, in MiB. */
  readonly memoryMb: number;
  /**
   * Maximum size of a file in MiB; unlimited if the folder for temporary files has its own limit.
   */
  readonly fileMb?: number;
  readonly hasOwnUser: boolean;
}

/**
 * Sets the limits of this process, which Node then inherits. Once Node runs as another user, only a
 * process with CAP_SYS_RESOURCE could limit it, and containers lack that capability.
 */
export function limitInherited(libc: Libc, limits: NodeLimits): void {
  const set = (resource: number, value: number): void => {
    const pair = new Uint8Array(BigUint64Array.of(BigInt(value), BigInt(value)).buffer);
    systemCall(libc, "prlimit64", 0, resource, pair);
  };
  set(RLIMIT_CORE, 0);
  limitDescriptors(libc);
  set(RLIMIT_DATA, (limits.memoryMb + SPARE_MB) * MIB);
  set(RLIMIT_AS, MAX_ADDRESS_SPACE_MB * MIB);
  if (limits.fileMb !== undefined) set(RLIMIT_FSIZE, limits.fileMb * MIB);
  if (limits.hasOwnUser) set(RLIMIT_NPROC, MAX_THREADS);
}

/** Makes the kernel kill a process before any other process when the machine runs out of memory. */
export function endFirst(pid: number): void {
  try {
    Deno.writeTextFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch { /* the kernel then chooses by size alone */ }
}

/** Returns a process's ID in its own namespace (proc(5), `status`). */
export function ownPidOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const own = /^NSpid:.*?(\d+)$/m.exec(status)?.[1];
  return own === undefined ? pid : Number(own);
}

/**
 * Returns the process that a thread belongs to (proc(5), `status`), or the thread itself if it has
 * exited.
 */
export function processOf(thread: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${thread}/status`);
    return Number(/^Tgid:\s*(\d+)$/m.exec(status)?.[1] ?? thread);
  } catch {
    return thread;
  }
}

const FIELDS = /^(?:VmRSS|VmPTE|VmSwap):\s+(\d+) kB$/gm;

/**
 * Returns the memory used by a process, in bytes: resident memory, swapped-out memory, and page
 * tables. Returns 0 if the process or its first thread has exited.
 */
export function memoryOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    let kilobytes = 0;
    for (const [, value] of status.matchAll(FIELDS)) kilobytes += Number(value);
    return kilobytes * 1024;
  } catch {
    return 0;
  }
}

/**
 * Returns the memory used by a process like `memoryOf()`, but divides each page among the processes
 * that share it, if the kernel reports that.
 */
export function sharedMemoryOf(pid: number): number {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
    let kilobytes = 0;
    for (const [, value] of text.matchAll(SHARES)) kilobytes += Number(value);
    return kilobytes * 1024;
  } catch {
    return memoryOf(pid);
  }
}
