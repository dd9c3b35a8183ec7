/**
 * Kills all processes of a build, and verifies that they are gone before its output is read.
 *
 * @module
 */

/** Matches the state of a process that has exited but has not been reaped by its parent. */
const DEAD = /^State:\s+[ZX]/m;

/** Matches the real, effective, saved and file system user IDs (proc(5), `status`). */
const USERS = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/m;

const PARENT = /^PPid:\s+(\d+)/m;

/**
 * Maximum number of rounds in which a user's processes are killed, and the pause between rounds in
 * milliseconds.
 */
const MAX_ROUNDS = 200;
const PAUSE_MS = 10;

/**
 * Number of consecutive rounds that must find no process. A process can escape one round by
 * starting another process.
 */
const CLEAN_ROUNDS = 3;

/** Some processes of a build could not be stopped, so none of the build's files may be touched. */
export class StillRunningError extends Error {
  override readonly name = "StillRunningError";
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly users: readonly number[];
}

/**
 * Lists all processes. Does not rely on the owner of `/proc/<pid>`, because a process can make root
 * the owner of that folder (PR_SET_DUMPABLE).
 */
function runningProcesses(): Process[] {
  const found: Process[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    let status: string;
    try {
      status = Deno.readTextFileSync(`/proc/${name}/status`);
    } catch {
      continue;
    }
    if (DEAD.test(status)) continue;
    const [, ...users] = USERS.exec(status) ?? [];
    const parent = Number(PARENT.exec(status)?.[1]);
    found.push({ pid: Number(name), parent, users: users.map(Number) });
  }
  return found;
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch { /* it has exited */ }
}

/** Returns the process IDs of a user's processes. */
export function processesOf(uid: number): number[] {
  return runningProcesses().flatMap(({ pid, users }) => users.includes(uid) ? [pid] : []);
}

/** Returns the users in a range (excluding `to`) that have running processes. */
export function usersBetween(from: number, to: number): Set<number> {
  const users = runningProcesses().flatMap((each) => each.users);
  return new Set(users.filter((uid) => uid >= from && uid < to));
}

/** Kills the direct children of a process. Returns false if the process has none. */
export function killChildren(parent: number): boolean {
  const children = runningProcesses().filter((each) => each.parent === parent);
  for (const { pid } of children) kill(pid);
  return children.length > 0;
}

/**
 * Maximum wait for a killed process, in milliseconds. A process cannot exit while it waits for a
 * disk.
 */
const END_MS = 30_000;

/** @throws {StillRunningError} if the process has not exited after `limitMs` milliseconds. */
export async function waitForEnd(
  child: Pick<Deno.ChildProcess, "pid" | "status">,
  limitMs = END_MS,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = Math.round(limitMs / 1000);
    late.reject(
      new StillRunningError(
        `Process ${child.pid} is still running ${seconds} s after it was killed`,
      ),
    );
  }, limitMs);
  try {
    await Promise.race([child.status, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Stops all processes of a user. `killAll` runs as that user and kills all of them at once, so none
 * can fork. Surviving processes are killed one by one.
 *
 * @throws {StillRunningError}
 */
export async function endProcessesOf(uid: number, killAll: () => Promise<void>): Promise<void> {
  let clean = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = processesOf(uid);
    clean = left.length === 0 ? clean + 1 : 0;
    if (clean === CLEAN_ROUNDS) return;
    for (const pid of left) kill(pid);
    if (left.length > 0) await killAll();
    await new Promise((resolve) => setTimeout(resolve, clean > 0 ? 0 : PAUSE_MS));
  }
  throw new StillRunningError(`Cannot stop the processes of user ${uid}`);
}
