/**
 * Starts Node in the best sandbox that this system gives, and watches it.
 *
 * @module
 */
import { join } from "node:path";
import { missingSandbox, probeSandbox } from "../../compute/sandbox/mod.ts";
import { type Libc, openLibc, PROCESSOR, readNameservers } from "../../kernel/mod.ts";
import { CallSupervisor } from "./call_supervisor.ts";
import { canLendDescriptors } from "./foreign_process.ts";
import { planSandbox, TMP_FOLDER } from "./plan_sandbox.ts";
import { limitProcess, ownPidOf } from "./process_limits.ts";
import { Running } from "./running_node.ts";
import { Thread } from "./thread.ts";
import type { ThreadPlan } from "./thread_messages.ts";
import {
  LaunchError,
  type NodeLaunch,
  type NodeSandboxKind,
  type Place,
  type RunningNode,
} from "./types.ts";

/** Name of the folder in the private folder that becomes Node's root folder. */
const ROOT_FOLDER = "root";

/** First of the users that Node runs as, one for each process: systemd and Debian leave this range free. */
const FIRST_UID = 0x70000000;

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
  const beat = new Int32Array(new SharedArrayBuffer(4));
  return { kind, view, root, shown, tmpMb, beat, ...(uid === undefined ? {} : { uid }) };
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

async function prepare(
  launch: NodeLaunch,
  kind: NodeSandboxKind,
  thread: Thread,
): Promise<Prepared> {
  const plan = planThread(launch, kind);
  thread.send({ type: "prepare", plan });
  try {
    return { thread, plan, ...await thread.next("prepared") };
  } catch (error) {
    thread.close();
    throw error;
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

async function start(
  prepared: Prepared,
  launch: NodeLaunch,
  reason: string | undefined,
): Promise<RunningNode> {
  const { thread, plan } = prepared;
  const { kind, view, beat } = plan;
  thread.send({ type: "start", command: launch.command(view) });
  const { pid } = await thread.next("started");
  const isClosed = kind !== "open";
  const sandbox = { kind, files: isClosed, calls: isClosed };
  return new Running({
    ...{ pid, thread, beat, memoryMb: launch.memoryMb },
    sandbox: reason === undefined ? sandbox : { ...sandbox, reason },
    ...(kind === "namespaces" ? {} : { temporary: { folder: view.tmp, maxMb: launch.tmpMb } }),
  });
}

export type LaunchNode = (launch: NodeLaunch) => Promise<RunningNode>;

/**
 * Starts the thread that will start Node, which takes a while.
 *
 * @returns what starts Node, once
 */
export function prepareLaunch(): LaunchNode {
  const first = new Thread();
  return async (launch) => {
    const libc = openLibc();
    const { kinds, missing } = findKinds(libc, launch);
    let reason = missing.length === 0 ? undefined : `The kernel refuses ${missing.join(", and ")}`;
    for (const kind of kinds) {
      let prepared: Prepared;
      try {
        // A thread that has closed things to itself cannot be used again.
        prepared = await prepare(launch, kind, kind === kinds[0] ? first : new Thread());
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        continue;
      }
      if (libc !== undefined) supervise(libc, prepared, launch);
      return await start(prepared, launch, reason);
    }
    first.close();
    throw new LaunchError(`The server was not started without its sandbox: ${reason}`);
  };
}

/**
 * Starts Node.
 *
 * @throws {LaunchError} where the system lacks a part of the sandbox that is required,
 * or Node cannot be started
 */
export const launchNode: LaunchNode = (launch) => prepareLaunch()(launch);
