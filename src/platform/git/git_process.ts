/**
 * Runs git without a shell or prompts. If git may start other programs, it runs in a separate
 * session, and all processes in that session are killed together.
 *
 * @module
 */
import type { SecretMasker } from "../../lib/mask_secrets.ts";
import { MissingProgramError, spawnProgram } from "../../lib/spawn_program.ts";

export interface GitRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** git's standard input; empty if missing. */
  readonly input?: string;
  /**
   * Whether git starts no other programs, in which case it needs neither a session nor a costly
   * copy of this process.
   */
  readonly single?: boolean;
  /** Masks secrets in the errors that git prints. */
  readonly masker?: SecretMasker;
}

export interface GitResult {
  readonly code: number;
  /** Truncated to `MAX_STDOUT`. */
  readonly stdout: string;
  /** The end of git's error output, with secrets masked. */
  readonly stderr: string;
  /** Whether git was stopped because it took too long. */
  readonly timedOut: boolean;
}

export const MAX_STDOUT = 32 * 1024 * 1024;
const MAX_STDERR = 8 * 1024;

/** Kills a session leader and its whole process group. */
function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch { /* none of its processes is left */ }
}

function killOne(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch { /* it has exited */ }
}

async function readHead(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < MAX_STDOUT) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, MAX_STDOUT);
}

async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-MAX_STDERR);
  }
  return text;
}

async function writeInput(child: Deno.ChildProcess, input: string): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch { /* git has exited without reading all of it */ }
}

/** The result if git is missing, with the exit code that a shell would return. */
const NOT_INSTALLED: GitResult = {
  code: 127,
  stdout: "",
  stderr: "git is not installed on the platform's machine",
  timedOut: false,
};

function startGit(run: GitRun): Deno.ChildProcess {
  return spawnProgram("git", {
    args: [...run.args],
    env: { ...run.env },
    clearEnv: true,
    detached: run.single !== true,
    stdin: run.input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** @throws the signal's reason, after git has exited */
export async function runGit(run: GitRun): Promise<GitResult> {
  run.signal?.throwIfAborted();
  let child: Deno.ChildProcess;
  try {
    child = startGit(run);
  } catch (error) {
    if (error instanceof MissingProgramError) return NOT_INSTALLED;
    throw error;
  }
  const kill = () => run.single === true ? killOne(child) : killGroup(child.pid);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, run.timeoutMs);
  run.signal?.addEventListener("abort", kill, { once: true });
  try {
    const [status, stdout, stderr] = await Promise.all([
      child.status.finally(kill),
      readHead(child.stdout),
      readTail(child.stderr),
      run.input === undefined ? undefined : writeInput(child, run.input),
    ]);
    run.signal?.throwIfAborted();
    return {
      code: status.code,
      stdout,
      stderr: run.masker === undefined ? stderr : run.masker.mask(stderr),
      timedOut,
    };
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", kill);
  }
}
