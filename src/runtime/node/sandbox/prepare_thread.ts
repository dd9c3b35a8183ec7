/** @module Puts the thread that starts Node into the best sandbox that the system supports. */
import { join } from "node:path";
import { missingSandbox, probeSandbox } from "../../compute/sandbox/sandbox_support.ts";
import type { Libc } from "../../kernel/libc.ts";
import { canLendDescriptors } from "./foreign_process.ts";
import { isOfSystem, planSandbox, TMP_FOLDER } from "./plan_sandbox.ts";
import { Thread } from "./thread.ts";
import type { ThreadPlan } from "./thread_messages.ts";
import { LaunchError, type NodeLaunch, type NodeSandboxKind, type Place } from "./types.ts";

/** The parts of a launch that its sandbox needs. */
type SandboxLaunch = Pick<
  NodeLaunch,
  | "node"
  | "directory"
  | "folder"
  | "controlSocket"
  | "serverSocket"
  | "files"
  | "programs"
  | "toolchains"
  | "processes"
  | "image"
  | "hosts"
  | "tmpMb"
  | "allowUnsandboxed"
  | "only"
>;

export interface Prepared {
  readonly thread: Thread;
  readonly plan: ThreadPlan;
  /** Descriptor of the listener that handles the suspended calls of the thread and of Node. */
  readonly listener?: number;
  /** Number of programs to start, one after another. */
  readonly programs: number;
  /** The reason why the best sandbox is unavailable. */
  readonly reason?: string;
}

/** Name of the folder, in the private folder, that becomes Node's root folder. */
const ROOT_FOLDER = "root";

/**
 * First of the user IDs for Node; each process gets its own user ID. systemd and Debian do not use
 * this range.
 */
const FIRST_UID = 0x70000000;

/** Returns the separate user that Node gets if this process can change users. */
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

function planThread(launch: SandboxLaunch, kind: NodeSandboxKind): ThreadPlan {
  const { node, directory, folder, files, tmpMb } = launch;
  const { programs = [], toolchains = [], processes = false, hosts = [] } = launch;
  const view = planSandbox({ ...launch, kind });
  const root = join(folder, ROOT_FOLDER);
  Deno.mkdirSync(kind === "namespaces" ? root : join(folder, TMP_FOLDER), {
    recursive: true,
    mode: 0o700,
  });
  // Node may run as another user, who must be able to read this file.
  for (const file of files) Deno.chmodSync(file, 0o644);
  // An image contains everything that it needs, so nothing from this machine is mounted.
  const shown: readonly Place[] = launch.image !== undefined ? [] : [
    { from: node, to: view.node },
    { from: directory, to: view.directory },
    ...files.map((from, index) => ({ from, to: view.files[index]! })),
    ...toolchains.map((path) => ({ from: path, to: path })),
    ...programs.map((from, index) => ({ from, to: view.programs[index]! }))
      .filter(({ from }) => !isOfSystem(from)),
  ];
  const uid = kind === "namespaces" ? ownUid() : undefined;
  const beat = new Int32Array(new SharedArrayBuffer(4));
  const image = launch.image?.root;
  return { kind, view, root, shown, tmpMb, processes, hosts, beat, uid, image };
}

const SANDBOXED: readonly NodeSandboxKind[] = ["namespaces", "kernel"];

/** Returns the sandboxes that may work on this machine, best first. */
function findKinds(
  libc: Libc | undefined,
  { allowUnsandboxed, only, image }: SandboxLaunch,
): { readonly kinds: readonly NodeSandboxKind[]; readonly missing: readonly string[] } {
  const support = probeSandbox();
  const missing = [
    ...missingSandbox(support),
    ...(libc === undefined || canLendDescriptors(libc)
      ? []
      : ["pidfd_getfd, which checks connections (containers: --cap-add SYS_PTRACE)"]),
  ];
  // An image cannot start without its own root folder.
  if (image !== undefined) return { kinds: missing.length === 0 ? ["namespaces"] : [], missing };
  if (missing.length === 0) return { kinds: only === undefined ? SANDBOXED : [only], missing };
  return { kinds: allowUnsandboxed ? ["open"] : [], missing };
}

async function prepare(
  launch: SandboxLaunch,
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

/**
 * Puts a thread into the best sandbox that works.
 *
 * @throws {LaunchError} if the system lacks a required part of the sandbox
 */
export async function prepareThread(
  libc: Libc | undefined,
  launch: SandboxLaunch,
  first: Thread,
): Promise<Prepared> {
  const { kinds, missing } = findKinds(libc, launch);
  let reason = missing.length === 0 ? undefined : `The kernel rejects ${missing.join(", and ")}`;
  for (const kind of kinds) {
    try {
      // A thread that has given up privileges cannot be used again.
      const thread = kind === kinds[0] ? first : new Thread();
      const prepared = await prepare(launch, kind, thread);
      return reason === undefined ? prepared : { ...prepared, reason };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  first.close();
  throw new LaunchError(
    launch.image === undefined
      ? `The server cannot start without its sandbox: ${reason}`
      : `The image was not started: it needs its own root folder, which this system refuses: ${reason}`,
  );
}
