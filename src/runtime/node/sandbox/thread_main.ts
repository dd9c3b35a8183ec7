/** @module The thread that starts Node. Node inherits the thread's restrictions. */
import { spawnProgram } from "../../../lib/spawn_program.ts";
import { dropRights } from "../../kernel/drop_rights.ts";
import { type FileRule, restrictFiles } from "../../kernel/landlock.ts";
import { installFilter } from "../../kernel/listener.ts";
import { openLibc } from "../../kernel/libc.ts";
import { PROCESSOR } from "../../kernel/system_calls.ts";
import { READABLE_BY_NODE, READABLE_PROGRAMS } from "../../kernel/system_paths.ts";
import { buildNodeFilter } from "./node_filter.ts";
import { OwnRoot } from "./own_root.ts";
import type { FromThread, ThreadPlan, ToThread } from "./thread_messages.ts";
import type { NodeCommand } from "./types.ts";

/** Makes a process exit with the thread that started it, if no namespace does that. */
const SETPRIV = "/usr/bin/setpriv";

/**
 * Gives a command's processes their own session, so a Ctrl-C in the platform's terminal does not
 * kill them.
 */
const SETSID = "/usr/bin/setsid";

/**
 * The first process in Node's process namespace. This process mounts the folder that shows Node its
 * own processes. When this thread exits or closes the process's input, the first process exits, and
 * with it all other processes in the namespace. A Ctrl-C in the platform's terminal does not kill
 * it.
 */
const FIRST_PROCESS =
  'trap "" INT TERM HUP; read -r folder && mount -t proc -o "$OPTIONS" svc "$folder" && ' +
  "echo ready && read -r end";

const PROC_OPTIONS = "nosuid,nodev,noexec,subset=pid,hidepid=invisible";

/**
 * Maximum time between two checks by the first thread, in milliseconds. It usually checks far more
 * often.
 */
const MAX_SILENCE_MS = 10_000;

const READY = "ready\n";

interface FirstProcess {
  /** Resolves when Node's processes are visible. */
  readonly ready: Promise<void>;
  /** Stops the first process, and with it all processes in its namespace. */
  end(): void;
}

function startFirstProcess(folder: string): FirstProcess {
  const child = spawnProgram("/bin/sh", {
    args: ["-c", FIRST_PROCESS],
    clearEnv: true,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", OPTIONS: PROC_OPTIONS },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  });
  void child.status;
  const input = child.stdin.getWriter();
  // The folder is not an argument, because arguments are visible in the sandbox.
  input.write(new TextEncoder().encode(`${folder}\n`)).catch(() => {});
  const ready = async (): Promise<void> => {
    const reader = child.stdout.getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
      if (text === READY) return;
    }
    throw new Error("The system does not allow a process folder");
  };
  return { ready: ready(), end: () => void input.close().catch(() => {}) };
}

type Post = (message: FromThread) => void;

class NodeThread {
  #plan: ThreadPlan | undefined;
  #first: FirstProcess | undefined;
  /** Programs that start Node or the command, in order. */
  #launchers: readonly string[] = [];

  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  async prepare(plan: ThreadPlan): Promise<void> {
    this.#plan = plan;
    const libc = openLibc();
    if (plan.kind === "open") return this.#post({ type: "prepared", programs: 1 });
    // This machine's programs must not run before an image's program.
    const launchers = plan.processes && plan.image === undefined && isFile(SETSID) ? [SETSID] : [];
    if (libc === undefined || PROCESSOR === undefined) {
      throw new Error("It needs Linux with the GNU C library");
    }
    if (plan.kind === "namespaces") {
      const root = new OwnRoot(libc, plan);
      root.begin();
      this.#first = startFirstProcess(root.processes);
      root.fill();
      await this.#first.ready;
      root.enter();
    } else if (isFile(SETPRIV)) launchers.push(SETPRIV, "--pdeathsig", "KILL", "--");
    this.#launchers = launchers;
    if (!dropRights(libc, plan.uid)) throw new Error("The thread cannot drop its privileges");
    if (!restrictFiles(libc, rulesOf(plan))) throw new Error("The kernel rejects Landlock");
    const filter = buildNodeFilter(PROCESSOR, {
      hasOwnRoot: plan.kind === "namespaces",
      hasProcesses: plan.processes,
      // The kernel limits a separate user's processes.
      limitsProcesses: plan.uid !== undefined,
    });
    const listener = installFilter(libc, filter);
    if (listener === undefined) throw new Error("The kernel rejects a system call filter");
    const programs = 1 + launchers.filter((word) => word.startsWith("/")).length;
    this.#post({ type: "prepared", listener, programs });
  }

  start({ program: named, args, env }: NodeCommand): void {
    const { view, image } = this.#plan!;
    const [program, ...rest] = [...this.#launchers, named ?? view.node, ...args];
    const { tmp } = view;
    const child = spawnProgram(program!, {
      args: rest,
      clearEnv: true,
      env: { ...env, TMPDIR: tmp, TMP: tmp, TEMP: tmp },
      cwd: view.directory,
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
      // Starts a session for an image's program, as `SETSID` does for this machine's programs.
      detached: image !== undefined,
    });
    this.#post({ type: "started", pid: child.pid });
    this.#watchWatcher();
    child.status.then(({ code, signal }) => {
      this.end();
      this.#post({ type: "ended", code, signal });
    }).catch(reportError);
  }

  end(): void {
    this.#first?.end();
  }

  /** Stops Node and this thread if the first thread no longer watches Node. */
  #watchWatcher(): void {
    const { beat } = this.#plan!;
    let last = Atomics.load(beat, 0);
    setInterval(() => {
      const now = Atomics.load(beat, 0);
      if (now === last) {
        this.end();
        // Without namespaces, Node exits with this thread.
        Reflect.get(globalThis, "close").call(globalThis);
      }
      last = now;
    }, MAX_SILENCE_MS);
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function rulesOf({ kind, view, shown, processes }: ThreadPlan): readonly FileRule[] {
  const devices = ["/dev/null", "/dev/zero", "/dev/full"];
  const readable = kind === "namespaces" ? ["/"] : [
    ...READABLE_BY_NODE,
    ...(processes ? READABLE_PROGRAMS : [SETPRIV]),
    ...shown.map(({ from }) => from),
  ];
  return [
    ...readable.map((path): FileRule => ({ path, rights: "read" })),
    ...devices.map((path): FileRule => ({ path, rights: "read_write" })),
    { path: view.tmp, rights: "temporary" },
  ];
}

globalThis.addEventListener("message", (event) => {
  const port = (event as MessageEvent<MessagePort>).data;
  const post: Post = (message) => port.postMessage(message);
  const thread = new NodeThread(post);
  port.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    try {
      if (data.type === "prepare") await thread.prepare(data.plan);
      else if (data.type === "start") thread.start(data.command);
      else thread.end();
    } catch (error) {
      thread.end();
      post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
}, { once: true });
