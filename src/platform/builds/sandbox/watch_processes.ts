/** Measures the memory of a process and its descendants, and lowers their priority. @module */
import { createPause, type Pause } from "../../../lib/next_turn.ts";

interface ProcessWatch {
  /** Aborted when the processes use too much memory. */
  readonly exceeded: AbortSignal;
  stop(): void;
}

const INTERVAL_MS = 1000;
const PAGE_BYTES = 4096;

/**
 * Niceness of a build's sessions. Linux shares processors between sessions (sched(7), autogroup),
 * and a process's own niceness counts only within its session.
 */
export const SESSION_NICE = 5;

interface Process {
  readonly parent: number;
  readonly session: number;
  readonly bytes: number;
}

interface Tree {
  readonly bytes: number;
  /** One process of each session, keyed by session. */
  readonly sessions: ReadonlyMap<number, number>;
}

/** Reads a process's data from /proc. Returns `undefined` if the process has exited. */
function look(pid: string): Process | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name is in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
    const [, parent, , session] = fields;
    return { parent: parent!, session: session!, bytes: fields[21]! * PAGE_BYTES };
  } catch {
    return undefined;
  }
}

/**
 * Lists all processes on the machine. Yields to other work, because there may be thousands of
 * processes.
 */
async function readProcesses(pause: Pause): Promise<Map<number, Process>> {
  const found = new Map<number, Process>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    await pause();
    const process = look(name);
    if (process !== undefined) found.set(Number(name), process);
  }
  return found;
}

/** Returns a process and its descendants. */
function treeOf(root: number, processes: ReadonlyMap<number, Process>): Tree {
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)!.parent);
  const sessions = new Map<number, number>();
  let bytes = 0;
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const process = processes.get(pid);
    if (process !== undefined) {
      bytes += process.bytes;
      sessions.set(process.session, pid);
    }
    open.push(...children.get(pid) ?? []);
  }
  return { bytes, sessions };
}

/**
 * Lowers the priority of a process's session. Returns false if the system does not currently allow
 * this.
 */
function lowerSession(pid: number): boolean {
  try {
    Deno.writeTextFileSync(`/proc/${pid}/autogroup`, String(SESSION_NICE), { create: false });
    return true;
  } catch {
    return false;
  }
}

/** Watches a process that has its own session, and the process's descendants. Needs /proc. */
export function watchProcesses(
  root: number,
  limits: { readonly maxBytes: number },
): ProcessWatch {
  const exceeded = new AbortController();
  const lowered = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const lookAtAll = async (): Promise<void> => {
    const { bytes, sessions } = treeOf(root, await readProcesses(createPause()));
    if (isStopped) return;
    if (bytes > limits.maxBytes) exceeded.abort();
    for (const [session, pid] of sessions) {
      if (!lowered.has(session) && lowerSession(pid)) lowered.add(session);
    }
  };
  const lookLater = (): void => {
    if (isStopped) return;
    // Fails only if there is no /proc.
    timer = setTimeout(() => void lookAtAll().then(lookLater, lookLater), INTERVAL_MS);
  };
  if (lowerSession(root)) lowered.add(root);
  lookLater();
  return {
    exceeded: exceeded.signal,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
