/** @module A program and its descendants, which are always stopped when this program exits. */
import nodeProcess from "node:process";
import { spawnProgram } from "../../lib/spawn_program.ts";
import { GroupMark } from "./stray_processes.ts";

/** Time for a group to exit after SIGTERM, in milliseconds. */
const TERM_MS = 5000;
/** How often to check whether the group has exited, in milliseconds. */
const POLL_MS = 20;

/**
 * Waits until its standard input closes, which happens when this program exits, even if it is
 * killed. Then kills the group $1 and all processes with the marker $2.
 */
const WATCHER = `
group=$1 mark=$2
marked() { grep -lsF "$mark" /proc/[0-9]*/environ; }
end() {
  kill "-$1" "-$group" 2>/dev/null
  for path in $(marked); do
    path=\${path%/environ}
    kill "-$1" "\${path#/proc/}" 2>/dev/null
  done
}
read -r _
end TERM
tries=0
while [ "$tries" -lt 30 ] && { kill -0 "-$group" 2>/dev/null || [ -n "$(marked)" ]; }; do
  sleep 0.1
  tries=$((tries+1))
done
end KILL
`;

export interface GroupOptions {
  /** Shell command line. */
  readonly command: string;
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessGroup {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when the first process has exited. Other processes in the group may continue. */
  readonly ended: Promise<Deno.CommandStatus>;
  /** Stops the whole group: SIGTERM first, then SIGKILL. */
  stop(): Promise<void>;
  /**
   * Kills the whole group. Processes that have left the group are killed when this program exits.
   */
  kill(): void;
}

const onWindows = Deno.build.os === "windows";

function signalGroup(pid: number, signal: Deno.Signal): void {
  try {
    if (onWindows) {
      spawnProgram("taskkill", { args: ["/pid", String(pid), "/t", "/f"] });
    } else Deno.kill(-pid, signal);
  } catch { /* no process is left */ }
}

function signalProcess(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch { /* it has exited */ }
}

function isAlive(pid: number): boolean {
  try {
    nodeProcess.kill(onWindows ? pid : -pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a shell that stops the group when this program exits. Returns a function to end it. */
function watchGroup(pid: number, mark: GroupMark): () => void {
  if (onWindows) return () => {};
  const watcher = spawnProgram("/bin/sh", {
    args: ["-c", WATCHER, "sh", String(pid), mark.text],
    detached: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  });
  watcher.unref();
  return () => {
    try {
      watcher.kill("SIGKILL");
    } catch { /* it has exited already */ }
    void watcher.stdin.close().catch(() => {});
  };
}

export function startGroup({ command, cwd, env }: GroupOptions): ProcessGroup {
  const mark = new GroupMark();
  const child = spawnProgram(onWindows ? "cmd" : "/bin/sh", {
    args: onWindows ? ["/d", "/s", "/c", command] : ["-c", command],
    cwd,
    env: { ...env, ...mark.variable },
    clearEnv: true,
    detached: !onWindows,
    // The input is kept open, because some dev servers exit when it closes.
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const { pid } = child;
  const unwatch = watchGroup(pid, mark);
  const kill = () => signalGroup(pid, "SIGKILL");
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    signalGroup(pid, "SIGTERM");
    for (const stray of await mark.strays(pid)) signalProcess(stray, "SIGTERM");
    void child.stdin.close().catch(() => {});
    const until = performance.now() + TERM_MS;
    while (performance.now() < until && (isAlive(pid) || (await mark.strays(pid)).length > 0)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    kill();
    await mark.killAll();
    unwatch();
  };
  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: child.status,
    stop: () => stopping ??= stop(),
    kill,
  };
}
