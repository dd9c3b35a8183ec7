/**
 * Runs git in a sandbox that contains the repository and scratch space, and has no network access.
 *
 * @module
 */
import { join } from "node:path";
import {
  hasOwnRoot,
  hasOwnUser,
  type OpenSandbox,
  removeBuildFolder,
  type SandboxAccess,
  startSandbox,
  watchProcesses,
} from "../builds/mod.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { Failure } from "../core/http/mod.ts";
import { gitVariables, MAX_PUSH_BYTES } from "./git_settings.ts";

/** Maximum duration of one git run, in milliseconds. */
const TIME_MS = 5 * 60_000;

/** Maximum resident memory of one git run, in bytes. */
const MEMORY_BYTES = 1024 ** 3;

const PROCESSES = 256;

const UNAVAILABLE =
  "This platform does not accept pushes or uploads of files, because it cannot sandbox git. The operator can allow namespaces, as for builds, or use --allow-unsandboxed-builds";

/** A folder for one request, on this machine. */
export interface Scratch {
  readonly path: string;
  readonly access: SandboxAccess;
  dispose(): Promise<void>;
}

interface SandboxedRun {
  readonly scratch: Scratch;
  /** The repository, on this machine. */
  readonly repository: string;
  readonly script: string;
  /** Arguments for the script, after the path of the repository. */
  readonly args: readonly string[];
  /** A file in the scratch folder, as the script's last argument. */
  readonly input?: string;
  /** The git protocol version that the client wants; the first one by default. */
  readonly protocol?: string | undefined;
  readonly signal: AbortSignal;
}

interface RunningGit {
  readonly stdout: ReadableStream<Uint8Array>;
  /** Resolves when none of the run's processes is still running; true if git succeeded. */
  readonly ended: Promise<boolean>;
}

/** Creates a scratch folder. @throws {Failure} `unavailable` if there is no sandbox. */
export async function makeScratch(openSandbox: OpenSandbox): Promise<Scratch> {
  const access = await openSandbox();
  if (access === undefined) throw new Failure("unavailable", UNAVAILABLE);
  const path = await Deno.makeTempDir({ dir: access.folder, prefix: "git-" });
  for (const name of ["root", "work"]) await Deno.mkdir(join(path, name), { mode: 0o700 });
  return { path, access, dispose: () => removeBuildFolder(path) };
}

/** Returns the part of a scratch folder that git sees. */
export const workOf = ({ path }: Scratch): string => join(path, "work");

/** Makes the sandbox's user the owner of a folder, if git runs as a separate user. */
export async function giveToGit(
  { options: { kind }, uid }: SandboxAccess,
  folder: string,
): Promise<void> {
  if (!hasOwnUser(kind) || (await Deno.lstat(folder)).uid === uid) return;
  const { success } = await runProgram("chown", {
    args: ["-R", "-h", `${uid}:${uid}`, "--", folder],
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  if (!success) throw new Error(`Cannot make git's user the owner of ${folder}`);
}

async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text = (text + chunk).slice(-2000);
  }
  return text.trim();
}

/** Starts git. Kills it when the signal is aborted, or when git exceeds a limit. */
export function startGit(
  run: SandboxedRun,
  onTrouble: (message: string) => void,
): RunningGit {
  const { scratch, repository, script, args, input, protocol, signal } = run;
  const { options, uid, env } = scratch.access;
  const closed = hasOwnRoot(options.kind);
  const inside = {
    repository: closed ? "/repository.git" : repository,
    work: closed ? "/tmp" : workOf(scratch),
  };
  signal.throwIfAborted();
  const { child, end } = startSandbox({
    uid,
    root: join(scratch.path, "root"),
    shown: [
      { from: workOf(scratch), to: inside.work },
      { from: repository, to: inside.repository },
    ],
    command: [
      "/bin/sh",
      "-c",
      script,
      "svc-git",
      inside.repository,
      ...args,
      ...input === undefined ? [] : [join(inside.work, input)],
    ],
    env: {
      ...env,
      ...gitVariables(inside.work),
      ...protocol === undefined ? {} : { GIT_PROTOCOL: protocol },
    },
    limits: { processes: PROCESSES, fileBytes: 2 * MAX_PUSH_BYTES },
    offline: true,
  }, options);
  const processes = watchProcesses(child.pid, { maxBytes: MEMORY_BYTES });
  const stopping = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS), processes.exceeded]);
  const stop = () => void end().catch(() => {});
  stopping.addEventListener("abort", stop, { once: true });
  const words = readTail(child.stderr).catch(() => "");
  const finish = async () => {
    const { success } = await child.status;
    stopping.removeEventListener("abort", stop);
    processes.stop();
    await end();
    await child.stdin.close().catch(() => {});
    const said = await words;
    if (!success && said !== "" && !signal.aborted) onTrouble(`git failed: ${said}`);
    return success && !stopping.aborted;
  };
  return { stdout: child.stdout, ended: finish() };
}
