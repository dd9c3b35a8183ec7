/** @module Processes with a marker in their initial environment (proc(5), `environ`). */

import { Buffer } from "node:buffer";

/**
 * Maximum number of searches. More than one may be needed, because a process can start another
 * process before it is killed.
 */
const MAX_ROUNDS = 50;

const PID = /^\d+$/;

/** Returns true if the process was started with `NAME=value` in its environment. */
function carries(pid: string, marker: Buffer): boolean {
  let environ: Buffer;
  try {
    environ = Buffer.from(Deno.readFileSync(`/proc/${pid}/environ`).buffer);
  } catch {
    return false;
  }
  for (let at = environ.indexOf(marker); at !== -1; at = environ.indexOf(marker, at + 1)) {
    const end = at + marker.length;
    const isWhole = end === environ.length || environ[end] === 0;
    if (isWhole && (at === 0 || environ[at - 1] === 0)) return true;
  }
  return false;
}

/** Returns the processes that were started with the marker `NAME=value` in their environment. */
export async function markedProcesses(marker: string): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  const bytes = Buffer.from(marker);
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (PID.test(name) && carries(name, bytes)) found.push(Number(name));
  }
  return found;
}

/** Kills every process with the marker, including those that start in the meantime. */
export async function killMarked(marker: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = (await markedProcesses(marker)).filter((pid) => pid !== Deno.pid);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch { /* it has exited */ }
    }
    // A killed process stays in /proc, without an environment, until its parent waits for it.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
