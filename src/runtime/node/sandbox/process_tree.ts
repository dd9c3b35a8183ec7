/**
 * @module Tracks all descendants of this process. The kernel makes this process the parent of
 * orphans.
 */
import type { Libc } from "../../kernel/libc.ts";
import { systemCall } from "../../kernel/system_calls.ts";
import { memoryOf, sharedMemoryOf } from "./process_limits.ts";

const PR_SET_CHILD_SUBREAPER = 36;

/**
 * Maximum number of processes per server. Starting more processes fails as if the system were full.
 */
const MAX_PROCESSES = 128;

/** Minimum time between two searches of a full tree, in milliseconds. */
const PAUSE_MS = 50;

/** Number of memory readings per search for new processes. */
const LOOKS_PER_SEARCH = 4;

/**
 * Maximum number of searches to make until all processes have exited. More than one search can be
 * needed, because a process can start another before it is killed.
 */
const MAX_ROUNDS = 20;

const PID = /^\d+$/;

/** Returns a process's parent (proc(5), `stat`), or `undefined` if the process has exited. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name of the program can contain any character.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** Returns a process's children, or `undefined` if the kernel does not list them (proc(5)). */
function childrenOf(pid: number): number[] | undefined {
  const found: number[] = [];
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`);
      found.push(...text.split(" ").filter((each) => each !== "").map(Number));
    }
  } catch (error) {
    // One thread or all threads may have exited in the meantime.
    return error instanceof Deno.errors.NotFound && isListed() ? found : undefined;
  }
  return found;
}

/** Returns whether the kernel lists a process's children. */
function isListed(): boolean {
  try {
    Deno.statSync(`/proc/self/task/${Deno.pid}/children`);
    return true;
  } catch {
    return false;
  }
}

function exists(pid: number): boolean {
  try {
    Deno.lstatSync(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
}

/** Returns all descendants of a process. */
function descendantsOf(top: number): number[] {
  const found: number[] = [];
  for (let next: number[] = [top]; next.length > 0;) {
    const below = next.map(childrenOf);
    if (below.includes(undefined)) return searchAll(top);
    next = below.flatMap((children) => children!);
    found.push(...next);
  }
  return found;
}

/** Returns all descendants of a process by reading the parents of all processes on the machine. */
function searchAll(top: number): number[] {
  const children = new Map<number, number[]>();
  for (const { name } of Deno.readDirSync("/proc")) {
    const parent = PID.test(name) ? parentOf(name) : undefined;
    if (parent === undefined) continue;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [Number(name)]);
    else known.push(Number(name));
  }
  const found: number[] = [];
  for (let next: number[] = [top]; next.length > 0;) {
    next = next.flatMap((pid) => children.get(pid) ?? []);
    found.push(...next);
  }
  return found;
}

export class ProcessTree {
  #pids: readonly number[] = [];
  /** Processes started since the last search. */
  #started = 0;
  #looks = 0;
  #searchedAt = -Infinity;

  constructor(libc: Libc) {
    systemCall(libc, "prctl", PR_SET_CHILD_SUBREAPER, 1);
  }

  /** Records that a process will be started. Returns false if there are too many processes. */
  grow(): boolean {
    if (this.#pids.length + this.#started >= MAX_PROCESSES) {
      this.#makeRoom();
      if (this.#pids.length + this.#started >= MAX_PROCESSES) return false;
    }
    this.#started++;
    return true;
  }

  /** Returns whether a process is currently one of the descendants. */
  has(pid: number): boolean {
    this.#search();
    return this.#pids.includes(pid);
  }

  /**
   * Returns the total memory, in bytes. Shared memory counts only once if the sum would exceed the
   * limit.
   */
  residentBytes(limitBytes: number): number {
    if (this.#started > 0 || this.#looks % LOOKS_PER_SEARCH === 0) this.#search();
    this.#looks++;
    const sum = (of: (pid: number) => number) =>
      this.#pids.reduce((bytes, pid) => bytes + of(pid), 0);
    const bytes = sum(memoryOf);
    return bytes > limitBytes ? sum(sharedMemoryOf) : bytes;
  }

  /** Sends a signal to all descendants. */
  signal(signal: Deno.Signal): void {
    this.#search();
    for (const pid of this.#pids) {
      try {
        Deno.kill(pid, signal);
      } catch { /* it has exited */ }
    }
  }

  /** Kills all descendants, including any that start in the meantime. */
  kill(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      this.signal("SIGKILL");
      if (this.#pids.every((pid) => memoryOf(pid) === 0)) return;
    }
  }

  /** Removes exited processes from a full tree. */
  #makeRoom(): void {
    const isFresh = performance.now() - this.#searchedAt < PAUSE_MS;
    // Even after a search that has found free slots, programs that have already exited may count as
    // started.
    if (!isFresh || this.#pids.length < MAX_PROCESSES) this.#search();
    else this.#pids = this.#pids.filter(exists);
  }

  #search(): void {
    this.#searchedAt = performance.now();
    this.#started = 0;
    this.#pids = descendantsOf(Deno.pid);
  }
}
