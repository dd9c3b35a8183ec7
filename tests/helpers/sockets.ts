/**
 * Sockets of processes, as Linux shows them.
 *
 * @module
 */
import { descriptorsOf } from "./descriptors.ts";

/** States of TCP sockets, as the kernel writes them. */
const [TIME_WAIT, LISTEN] = ["06", "0A"];
/** Flag of a Unix socket that takes connections. */
const ACCEPTS = 0x10000;

export interface Sockets {
  /** All that are open, by their inodes. */
  readonly open: ReadonlySet<string>;
  /** Ports that it listens on. */
  readonly ports: ReadonlySet<number>;
  /** Those of `open` that listen on a port, which several of them may share. */
  readonly listening: ReadonlySet<string>;
  /** Paths of Unix sockets that take connections. */
  readonly paths: readonly string[];
  /** Connections to its ports that have ended in the last minute, whoever had opened them. */
  readonly ended: number;
}

interface TcpRow {
  readonly ports: readonly number[];
  readonly state: string;
  readonly inode: string;
}

function tcpRows(pid: number): TcpRow[] {
  return ["tcp", "tcp6"].flatMap((name) =>
    Deno.readTextFileSync(`/proc/${pid}/net/${name}`).trimEnd().split("\n").slice(1).map((line) => {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
      const ports = [local!, remote!].map((address) => parseInt(address.split(":")[1]!, 16));
      return { ports, state: state!, inode: inode! };
    })
  );
}

/** What sockets a process has now. */
export function socketsOf(pid: number): Sockets {
  const open = new Set(
    [...descriptorsOf(pid).values()].flatMap((target) =>
      /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
    ),
  );
  const tcp = tcpRows(pid);
  const listeners = tcp.filter(({ state, inode }) => state === LISTEN && open.has(inode));
  const ports = new Set(listeners.map(({ ports }) => ports[0]!));
  const listening = new Set(listeners.map(({ inode }) => inode));
  const paths = Deno.readTextFileSync(`/proc/${pid}/net/unix`).trimEnd().split("\n").slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , flags, , , inode]) => (parseInt(flags!, 16) & ACCEPTS) && open.has(inode!))
    .map((fields) => fields[7] ?? "");
  const isEnded = (row: TcpRow) =>
    row.state === TIME_WAIT && row.ports.some((port) => ports.has(port));
  return { open, ports, listening, paths, ended: tcp.filter(isEnded).length };
}
