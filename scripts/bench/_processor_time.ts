/**
 * CPU time of a server, from proc(5): its process with all threads, and the processes that it
 * started. On a busy machine, CPU time is more meaningful than a rate.
 *
 * @module
 */

/** Length of a tick in `/proc/<pid>/stat`: `USER_HZ` is 100 on every current Linux. */
const TICK_MS = 10;

/** Times of one process, including its threads. */
interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** User and system time, including the time of children that have exited. */
  readonly milliseconds: number;
}

/** Reads a line of `/proc/<pid>/stat`. The program's name in it can contain spaces and brackets. */
export function readStat(line: string): ProcessTimes {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ").map(Number);
  // Fields 4 and 14 to 17 of proc_pid_stat(5); `fields` starts with field 3.
  const [, parent] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, time) => sum + time, 0);
  return { pid: Number.parseInt(line), parent: parent!, milliseconds: ticks * TICK_MS };
}

/** Returns the IDs of a process and its descendants. */
function idsOfTree(root: number, processes: readonly ProcessTimes[]): ReadonlySet<number> {
  const tree = new Set([root]);
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  return tree;
}

/** Returns the time of a process and its descendants, in milliseconds. */
export function timeOfTree(root: number, processes: readonly ProcessTimes[]): number {
  const tree = idsOfTree(root, processes);
  return processes.reduce(
    (sum, { pid, milliseconds }) => tree.has(pid) ? sum + milliseconds : sum,
    0,
  );
}

function readProcesses(): ProcessTimes[] {
  const processes: ProcessTimes[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      processes.push(readStat(Deno.readTextFileSync(`/proc/${name}/stat`)));
    } catch (error) {
      const hasEnded = error instanceof Deno.errors.NotFound ||
        (error instanceof Error && error.message.includes("No such process"));
      if (!hasEnded) throw error;
    }
  }
  return processes;
}

/**
 * Returns the CPU time that a running process and its descendants have used so far, in
 * milliseconds.
 */
export function processorTime(pid: number): number {
  return timeOfTree(pid, readProcesses());
}

/** Returns the IDs of a running process and its descendants. */
export function processTree(pid: number): readonly number[] {
  return [...idsOfTree(pid, readProcesses())];
}
