/**
 * Processes that carry a marker in the environment that they were started
 * with: found and ended wherever they have gone (proc(5), `environ`).
 *
 * @module
 */

/** Rounds of looking: a process may start another while it is being ended. */
const MAX_ROUNDS = 50;

const PID = /^\d+$/;

/** True where the process was started with `NAME=value` in its environment. */
function carries(pid: string, marker: Uint8Array): boolean {
  let environ: Uint8Array;
  try {
    environ = Deno.readFileSync(`/proc/${pid}/environ`);
  } catch {
    return false;
  }
  const text = new TextDecoder("latin1").decode(environ);
  return text.split("\0").includes(new TextDecoder("latin1").decode(marker));
}

/** The processes that were started with the marker `NAME=value`. */
export async function markedProcesses(marker: string): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  const bytes = new TextEncoder().encode(marker);
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (PID.test(name) && carries(name, bytes)) found.push(Number(name));
  }
  return found;
}

/** Ends every process that was started with the marker, and those that they start meanwhile. */
export async function killMarked(marker: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = (await markedProcesses(marker)).filter((pid) => pid !== Deno.pid);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch { /* it has ended */ }
    }
    // A killed process stays in /proc until its parent has taken note; its environment is gone.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
