/** The state of a listening socket in `/proc/net/tcp`. */
const LISTENING = "0A";
const SOCKET = /^socket:\[(\d+)\]$/;

/** Reads the local ports of listening sockets, by inode, from a table in `/proc/net`. Pure. */
export function parseListeners(table: string): ReadonlyMap<string, number> {
  const ports = new Map<string, number>();
  for (const line of table.split("\n").slice(1)) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== LISTENING || local === undefined || inode === undefined) continue;
    const port = Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16);
    if (port > 0) ports.set(inode, port);
  }
  return ports;
}

/**
 * Reads the process group of a process from `/proc/<pid>/stat`. The process name in that file can
 * contain any characters. Pure.
 */
export function parseGroup(stat: string): number | undefined {
  const [, , group] = stat.slice(stat.lastIndexOf(")") + 1).trim().split(" ");
  return group === undefined ? undefined : Number(group);
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function* socketsOf(pid: string): Generator<string> {
  const folder = `/proc/${pid}/fd`;
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      const [, inode] = SOCKET.exec(Deno.readLinkSync(`${folder}/${name}`)) ?? [];
      if (inode !== undefined) yield inode;
    }
  } catch { /* it has exited, or belongs to another user */ }
}

/**
 * Returns the ports on which the processes in a group listen. Returns none if the system does not
 * show them.
 */
export function listeningPorts(group: number): readonly number[] {
  if (Deno.build.os !== "linux") return [];
  const listeners = new Map([
    ...parseListeners(readText("/proc/net/tcp")),
    ...parseListeners(readText("/proc/net/tcp6")),
  ]);
  const ports = new Set<number>();
  for (const { name: pid } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(pid) || parseGroup(readText(`/proc/${pid}/stat`)) !== group) continue;
    for (const inode of socketsOf(pid)) {
      const port = listeners.get(inode);
      if (port !== undefined) ports.add(port);
    }
  }
  return [...ports].sort((left, right) => left - right);
}
