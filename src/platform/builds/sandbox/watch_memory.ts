/**
 * Watches how much memory a process and all its descendants take (proc(5), `stat`).
 *
 * @module
 */

export interface MemoryWatch {
  /** Aborted when they take too much. */
  readonly exceeded: AbortSignal;
  stop(): void;
}

const INTERVAL_MS = 1000;
const PAGE_BYTES = 4096;

/** Pid of the parent and resident bytes; `undefined` where the process has ended. */
function look(pid: string): { readonly parent: number; readonly bytes: number } | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name stands in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), bytes: Number(fields[21]) * PAGE_BYTES };
  } catch {
    return undefined;
  }
}

/** Resident bytes of a process and of everything below it. */
function treeBytes(root: number): number {
  const children = new Map<number, number[]>();
  const bytes = new Map<number, number>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const found = look(name);
    if (found === undefined) continue;
    const pid = Number(name);
    bytes.set(pid, found.bytes);
    const siblings = children.get(found.parent);
    if (siblings === undefined) children.set(found.parent, [pid]);
    else siblings.push(pid);
  }
  let sum = 0;
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    sum += bytes.get(pid) ?? 0;
    open.push(...children.get(pid) ?? []);
  }
  return sum;
}

/** Watches until it is stopped. On a system without /proc, no amount is too much. */
export function watchMemory(
  pid: number,
  limits: { readonly maxBytes: number },
): MemoryWatch {
  const exceeded = new AbortController();
  const timer = setInterval(() => {
    try {
      if (treeBytes(pid) > limits.maxBytes) exceeded.abort();
    } catch { /* there is no /proc */ }
  }, INTERVAL_MS);
  return { exceeded: exceeded.signal, stop: () => clearInterval(timer) };
}
