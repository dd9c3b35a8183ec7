/** @module Runs a project's own commands, and shows their output as it arrives. */
import { BuildError } from "./build_error.ts";
import type { BuildHost, OutputSink } from "./types.ts";
import { spawnProgram } from "../lib/spawn_program.ts";

interface CommandRun {
  readonly phase: "install" | "build";
  readonly command: string;
  /** Absolute path. */
  readonly directory: string;
  /** Variables that override the host's variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Called with the end of the output if the command fails, to look for a possible reason. */
  readonly suspect?: (output: string) => Promise<string | undefined>;
}

function shellOf(command: string): { readonly program: string; readonly args: string[] } {
  return Deno.build.os === "windows"
    ? { program: "cmd", args: ["/d", "/s", "/c", command] }
    : { program: "/bin/sh", args: ["-c", command] };
}

/** Maximum number of characters of a command's output to keep. */
const MAX_KEPT = 16 * 1024;

/**
 * Maximum time to read a command's output after the command has exited, in milliseconds. Its child
 * processes can keep the output open.
 */
const LAST_OUTPUT_MS = 2000;

async function forward(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: { readonly sink: OutputSink; readonly enough: AbortSignal },
): Promise<void> {
  const { sink, enough } = options;
  try {
    const text = stream.pipeThrough(new TextDecoderStream(), { signal: enough });
    for await (const chunk of text) sink.write(chunk);
  } catch (error) {
    if (!enough.aborted) throw error;
  }
  sink.end();
}

/** Returns an environment without the variables that are not set. */
export function environmentOf(env: BuildHost["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * Runs the command in the shell, with the host's environment. Throws `build_failed` with the exit
 * code when it fails.
 */
export async function runCommand(host: BuildHost, run: CommandRun): Promise<void> {
  const { phase, command, directory, variables } = run;
  host.say(phase, "info", `Running ${command}`);
  host.signal.throwIfAborted();
  const { program, args } = shellOf(command);
  const child = spawnProgram(program, {
    args,
    cwd: directory,
    env: environmentOf({ ...host.env, ...variables }),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: host.signal,
  });
  const ended = new AbortController();
  let kept = "";
  const sink = (): OutputSink => {
    const shown = host.output(phase);
    return {
      write: (chunk) => {
        kept = (kept + chunk).slice(-MAX_KEPT);
        shown.write(chunk);
      },
      end: () => shown.end(),
    };
  };
  const outputs = Promise.all(
    [child.stdout, child.stderr].map((stream) =>
      forward(stream, { sink: sink(), enough: ended.signal })
    ),
  );
  const status = await child.status;
  const timer = setTimeout(() => ended.abort(), LAST_OUTPUT_MS);
  await outputs.finally(() => clearTimeout(timer));
  host.signal.throwIfAborted();
  if (!status.success) throw failure(run, status, await run.suspect?.(kept));
}

function failure(
  { phase, command }: CommandRun,
  { code, signal }: Deno.CommandStatus,
  suspect: string | undefined,
): BuildError {
  const how = signal === null ? `exited with code ${code}` : `was stopped by ${signal}`;
  const what = phase === "install" ? "Install" : "Build";
  const advice = phase === "install" ? "" : ". Use --build-command to run another command";
  return new BuildError("build_failed", `${what} failed: \`${command}\` ${how}`, {
    hint: suspect ?? `See its output for the cause${advice}`,
    details: { command, exitCode: code },
  });
}
