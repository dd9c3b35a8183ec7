/** A build's sandbox, of the kind that `find_sandbox.ts` has chosen. @module */
import type { ControlGroup } from "../../../lib/control_groups.ts";
import {
  endProcessesOf,
  killChildren,
  StillRunningError,
  usersBetween,
  waitForEnd,
} from "./end_processes.ts";
import { type BuildProgram, SHOWN_DENO_DIR } from "./program.ts";
import { END_USER_SCRIPT, NAMESPACE_SCRIPT, OPEN_SCRIPT, USER_SCRIPT } from "./sandbox_script.ts";
import { descriptorLimit } from "../../../lib/descriptors.ts";
import { runProgram, spawnProgram } from "../../../lib/spawn_program.ts";
import { SYSTEM_PATH } from "../../../lib/system_path.ts";

/**
 * - `namespaces`: its own user, and namespaces in which only the system's programs and its own
 *   folder are visible (the platform runs as root);
 * - `own_namespaces`: such namespaces, created by an ordinary user;
 * - `user`: its own user only (root, without the right to create namespaces);
 * - `open`: no sandbox, because the operator allowed that.
 */
export type SandboxKind = "namespaces" | "own_namespaces" | "user" | "open";

/** One of the build's folders: its path on this machine, and the path that the build sees. */
export interface Shown {
  readonly from: string;
  readonly to: string;
}

export interface SandboxRun {
  /** The build's user and group, if the build has its own. */
  readonly uid: number;
  /** An empty folder that can become the build's root folder. */
  readonly root: string;
  /** Writable folders. */
  readonly shown: readonly Shown[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  /** The build's control group, if the platform has control groups. */
  readonly group?: ControlGroup | undefined;
  /**
   * True if the build needs no network. If so, the build has no network in a sandbox with
   * namespaces.
   */
  readonly offline?: boolean;
}

export interface ProcessLimits {
  /** Maximum number of concurrent processes and threads. */
  readonly processes: number;
  /** Maximum size of a single file in bytes. */
  readonly fileBytes: number;
}

export interface SandboxOptions {
  readonly kind: SandboxKind;
  readonly program: BuildProgram;
  /** Paths that builds cannot see. */
  readonly hidden: readonly string[];
}

interface SandboxedProcess {
  readonly child: Deno.ChildProcess;
  /**
   * Kills every process of the build. Concurrent calls share the work.
   *
   * @throws {StillRunningError}
   */
  end(): Promise<void>;
}

/** Returns true if each build has its own root folder. */
export const hasOwnRoot = (kind: SandboxKind): boolean =>
  kind === "namespaces" || kind === "own_namespaces";

/** Returns true if each build runs as its own user. */
export const hasOwnUser = (kind: SandboxKind): boolean => kind === "namespaces" || kind === "user";

const DROP = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"] as const;

const asUser = (uid: number): string[] => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${uid}`,
  "--clear-groups",
  ...DROP,
  "--",
];

/** Maximum number of open files and sockets per process. */
const MAX_OPEN_FILES = 8192;

function limited(run: SandboxRun): string[] {
  return [
    "nice",
    "-n",
    "10",
    "prlimit",
    `--nproc=${run.limits.processes}`,
    `--nofile=${Math.min(MAX_OPEN_FILES, descriptorLimit() ?? MAX_OPEN_FILES)}`,
    `--fsize=${run.limits.fileBytes}`,
    "--core=0",
    "--",
    ...run.command,
  ];
}

function namespaceCommand(run: SandboxRun, options: SandboxOptions): string[] {
  const own = options.kind === "own_namespaces";
  const { denoDir, needs } = options.program;
  return [
    "unshare",
    ...(own ? ["--user", "--map-root-user"] : []),
    "--mount",
    "--pid",
    "--ipc",
    ...(run.offline === true ? ["--net"] : []),
    "--fork",
    "--kill-child=SIGKILL",
    "--propagation=private",
    "--",
    "/bin/sh",
    "-c",
    NAMESPACE_SCRIPT,
    "svc-build",
    run.root,
    ...run.shown.flatMap(({ from, to }) => ["rw", from, to]),
    // The program may be in a folder that the sandbox replaces, such as /tmp.
    ...needs.flatMap((path) => ["ro", path, path]),
    ...(denoDir === undefined ? [] : ["ro", denoDir, SHOWN_DENO_DIR]),
    ...options.hidden.flatMap((path) => ["hide", path]),
    "--",
    ...(own ? ["setpriv", ...DROP, "--"] : asUser(run.uid)),
    ...limited(run),
  ];
}

function commandFor(run: SandboxRun, options: SandboxOptions): string[] {
  if (hasOwnRoot(options.kind)) return namespaceCommand(run, options);
  const inner = limited(run);
  return options.kind === "user"
    ? [...asUser(run.uid), "/bin/sh", "-c", USER_SCRIPT, "svc-build", ...inner]
    : ["/bin/sh", "-c", OPEN_SCRIPT, "svc-build", ...inner];
}

/** Kills all processes of a build's user. @throws {StillRunningError} */
async function endUser(uid: number): Promise<void> {
  const [program, ...args] = [...asUser(uid), "/bin/sh", "-c", END_USER_SCRIPT];
  await endProcessesOf(uid, async () => {
    await runProgram(program!, {
      args,
      cwd: "/",
      clearEnv: true,
      env: { PATH: SYSTEM_PATH },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
  });
}

/**
 * Kills the processes of a range of users (excluding `to`) that only run builds.
 *
 * @throws {StillRunningError}
 */
export async function endUsers(from: number, to: number): Promise<void> {
  for (const uid of usersBetween(from, to)) await endUser(uid);
}

function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch { /* it has already exited */ }
}

/** Starts a command in the sandbox. The command runs as long as its standard input stays open. */
export function startSandbox(run: SandboxRun, options: SandboxOptions): SandboxedProcess {
  const { group } = run;
  const command = commandFor(run, options);
  const [program, ...args] = group?.commandFor(command) ?? command;
  const child = spawnProgram(program!, {
    args,
    cwd: hasOwnRoot(options.kind) ? "/" : run.shown[0]?.from ?? "/",
    clearEnv: true,
    env: { PATH: SYSTEM_PATH, ...run.env },
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const endNow = async (): Promise<void> => {
    // The first process in the namespaces exits after all other processes, followed by `unshare`.
    if (!hasOwnRoot(options.kind) || !killChildren(child.pid)) killGroup(child.pid);
    if (options.kind === "user") await endUser(run.uid);
    await waitForEnd(child);
    if (await group?.remove() === false) {
      throw new StillRunningError(
        `A process in the control group of ${child.pid} is still running`,
      );
    }
  };
  // Two concurrent calls would kill each other's helper processes.
  let ended: Promise<void> | undefined;
  return { child, end: () => ended ??= endNow() };
}
