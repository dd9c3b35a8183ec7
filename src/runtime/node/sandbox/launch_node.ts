/**
 * Starts Node in the best sandbox that this system gives, and watches it.
 *
 * @module
 */
import { join } from "node:path";
import { missingSandbox, probeSandbox } from "../../compute/sandbox/mod.ts";
import { type Libc, openLibc, PROCESSOR, readNameservers } from "../../kernel/mod.ts";
import { workerUrl } from "../../process/mod.ts";
import { CallSupervisor } from "./call_supervisor.ts";
import { canLendDescriptors } from "./foreign_process.ts";
import { planSandbox, TMP_FOLDER } from "./plan_sandbox.ts";
import { limitProcess, memoryOf, ownPidOf } from "./process_limits.ts";
import type { FromThread, ThreadPlan, ToThread } from "./thread_messages.ts";
import {
  LaunchError,
  type NodeEnd,
  type NodeLaunch,
  type NodeSandbox,
  type NodeSandboxKind,
  type Place,
  type RunningNode,
} from "./types.ts";

const THREAD = workerUrl("node_thread.js", new URL("./thread_main.ts", import.meta.url));

/** Name of the folder in the private folder that becomes Node's root folder. */
const ROOT_FOLDER = "root";

/** First of the users that Node runs as, one for each process: systemd and Debian leave this range free. */
const FIRST_UID = 0x70000000;

/** How often memory is looked at, in milliseconds. */
const MEMORY_POLL_MS = 50;

/** Looks in a row that may find no memory before Node's end is known. */
const MAX_EMPTY_LOOKS = 20;

const MIB = 1024 * 1024;

/** The thread that starts Node, as the first thread sees it. */
class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #take: (message: FromThread) => void = () => {};

  constructor() {
    this.#worker = new Worker(THREAD, { type: "module", name: "node" });
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#take({ type: "failed", message: event.message });
    };
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromThread>) => this.#take(data);
    this.#worker.postMessage(port2, [port2]);
  }

  send(message: ToThread): void {
    this.#port.postMessage(message);
  }

  /** @throws {LaunchError} where the thread answers that it failed, or something else */
  async next<Type extends FromThread["type"]>(
    type: Type,
  ): Promise<Extract<FromThread, { readonly type: Type }>> {
    const message = await new Promise<FromThread>((resolve) => this.#take = resolve);
    if (message.type === type) return message as Extract<FromThread, { readonly type: Type }>;
    throw new LaunchError(message.type === "failed" ? message.message : "Node has ended");
  }

  close(): void {
    this.#port.close();
    this.#worker.terminate();
  }
}

/** The user of its own that Node gets where this process may change users. */
function ownUid(): number | undefined {
  if (Deno.uid() !== 0) return undefined;
  const uid = FIRST_UID + Deno.pid;
  const map = Deno.readTextFileSync("/proc/self/uid_map");
  const isMapped = map.trim().split("\n").some((line) => {
    const [from = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return uid >= from && uid < from + count;
  });
  return isMapped ? uid : undefined;
}

function nameservers(): readonly string[] {
  try {
    return readNameservers(Deno.readTextFileSync("/etc/resolv.conf"));
  } catch {
    return [];
  }
}

function planThread(launch: NodeLaunch, kind: NodeSandboxKind): ThreadPlan {
  const { node, directory, folder, files, tmpMb } = launch;
  const view = planSandbox({ ...launch, kind });
  const root = join(folder, ROOT_FOLDER);
  Deno.mkdirSync(kind === "namespaces" ? root : join(folder, TMP_FOLDER), {
    recursive: true,
    mode: 0o700,
  });
  // Node may have a user of its own.
  for (const file of files) Deno.chmodSync(file, 0o644);
  const shown: readonly Place[] = [
    { from: node, to: view.node },
    { from: directory, to: view.directory },
    ...files.map((from, index) => ({ from, to: view.files[index]! })),
  ];
  const uid = kind === "namespaces" ? ownUid() : undefined;
  return { kind, view, root, shown, tmpMb, ...(uid === undefined ? {} : { uid }) };
}

const SANDBOXED: readonly NodeSandboxKind[] = ["namespaces", "kernel"];

/** The sandboxes that may work here, the best one first. */
function findKinds(
  libc: Libc | undefined,
  { allowUnsandboxed, only }: NodeLaunch,
): { readonly kinds: readonly NodeSandboxKind[]; readonly missing: readonly string[] } {
  const support = probeSandbox();
  const missing = [
    ...missingSandbox(support),
    ...(libc === undefined || canLendDescriptors(libc)
      ? []
      : ["pidfd_getfd, by which connections are judged (containers: --cap-add SYS_PTRACE)"]),
  ];
  if (missing.length === 0) return { kinds: only === undefined ? SANDBOXED : [only], missing };
  return { kinds: allowUnsandboxed ? ["open"] : [], missing };
}

interface Prepared {
  readonly thread: Thread;
  readonly plan: ThreadPlan;
  readonly listener?: number;
  readonly programs: number;
}

async function prepare(launch: NodeLaunch, kind: NodeSandboxKind): Promise<Prepared> {
  const thread = new Thread();
  const plan = planThread(launch, kind);
  thread.send({ type: "prepare", plan });
  try {
    return { thread, plan, ...await thread.next("prepared") };
  } catch (error) {
    thread.close();
    throw error;
  }
}

class Running implements RunningNode {
  readonly ended: Promise<NodeEnd>;
  #reason: NodeEnd["reason"] | undefined;
  #empty = 0;

  constructor(
    readonly pid: number,
    readonly sandbox: NodeSandbox,
    private readonly thread: Thread,
    private readonly memoryMb: number,
  ) {
    const watch = setInterval(() => this.#look(), MEMORY_POLL_MS);
    this.ended = thread.next("ended").then(
      ({ code, signal }) => this.#end(code, signal),
      (error) => this.#end(1, null, String(error)),
    ).finally(() => {
      clearInterval(watch);
      thread.close();
    });
  }

  residentBytes(): number {
    return memoryOf(this.pid);
  }

  terminate(): void {
    this.#signal("SIGTERM");
  }

  kill(): void {
    this.#reason ??= "killed";
    this.#signal("SIGKILL");
    this.thread.send({ type: "end" });
  }

  #signal(signal: Deno.Signal): void {
    try {
      Deno.kill(this.pid, signal);
    } catch { /* it has ended */ }
  }

  #look(): void {
    const bytes = this.residentBytes();
    this.#empty = bytes === 0 ? this.#empty + 1 : 0;
    // A process without its first thread shows no memory.
    if (bytes <= this.memoryMb * MIB && this.#empty < MAX_EMPTY_LOOKS) return;
    if (bytes > 0) this.#reason ??= "memory";
    this.kill();
  }

  #end(code: number, signal: string | null, error?: string): NodeEnd {
    const reason = this.#reason ?? "exited";
    const how = error ?? (signal === null ? `with code ${code}` : `by ${signal}`);
    const message = reason === "memory"
      ? `Node took more than ${this.memoryMb} MiB of memory`
      : `Node has ended ${how}`;
    return { reason, message, code, signal };
  }
}

function supervise(libc: Libc, prepared: Prepared, launch: NodeLaunch): void {
  const { listener, plan, programs } = prepared;
  if (listener === undefined || PROCESSOR === undefined) return;
  const { folder, controlSocket, serverSocket, memoryMb, tmpMb, allowPrivate, peers } = launch;
  void new CallSupervisor({
    ...{ libc, processor: PROCESSOR, listener, programs },
    rules: {
      hasOwnNetwork: plan.kind === "namespaces",
      nameservers: nameservers(),
      allowPrivate,
      peers,
      control: { name: plan.view.controlSocket, path: join(folder, controlSocket) },
      server: { name: plan.view.serverSocket, path: join(folder, serverSocket) },
    },
    begin: (pid) => {
      limitProcess(libc, pid, {
        memoryMb,
        hasOwnUser: plan.uid !== undefined,
        ...(plan.kind === "namespaces" ? {} : { fileMb: tmpMb }),
      });
      return ownPidOf(pid);
    },
  }).run();
}

/**
 * Starts Node.
 *
 * @throws {LaunchError} where the system lacks a part of the sandbox that is required,
 * or Node cannot be started
 */
export async function launchNode(launch: NodeLaunch): Promise<RunningNode> {
  const libc = openLibc();
  const { kinds, missing } = findKinds(libc, launch);
  let reason = missing.length === 0 ? undefined : `The kernel refuses ${missing.join(", and ")}`;
  for (const kind of kinds) {
    let prepared: Prepared;
    try {
      prepared = await prepare(launch, kind);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      continue;
    }
    const { thread, plan } = prepared;
    if (libc !== undefined) supervise(libc, prepared, launch);
    thread.send({ type: "start", command: launch.command(plan.view) });
    const { pid } = await thread.next("started");
    const isClosed = kind !== "open";
    const sandbox = { kind, files: isClosed, calls: isClosed };
    const state = reason === undefined ? sandbox : { ...sandbox, reason };
    return new Running(pid, state, thread, launch.memoryMb);
  }
  throw new LaunchError(`The server was not started without its sandbox: ${reason}`);
}
