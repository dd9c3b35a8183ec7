/** Runs a build in its sandbox: starts the build, watches it, and reliably stops it. @module */
import type { CheckedEvent, PackedEvent } from "../../../build/mod.ts";
import { createControlGroup } from "../../../lib/control_groups.ts";
import { formatBytes, formatCount } from "../../../lib/format.ts";
import type { SecretMasker } from "../../../lib/mask_secrets.ts";
import type { BuildLogWriter } from "../logs/build_logs.ts";
import { createLineStream, type LineStream, plainText } from "../logs/build_log_text.ts";
import { type BuildLimits, groupLimits } from "../sandbox/build_limits.ts";
import { BuildTalkError, readEvents } from "./read_events.ts";
import { type SandboxOptions, type SandboxRun, startSandbox } from "../sandbox/sandbox.ts";
import { watchProcesses } from "../sandbox/watch_processes.ts";
import { watchSize } from "../../../lib/folder_size.ts";

export type SandboxedEnd =
  | { readonly type: "packed"; readonly packed: PackedEvent }
  | { readonly type: "checked"; readonly results: CheckedEvent["results"] }
  | { readonly type: "failed" | "skipped"; readonly reason: string }
  | { readonly type: "aborted" };

export interface SandboxedBuild {
  readonly run: SandboxRun;
  readonly sandbox: SandboxOptions;
  readonly limits: BuildLimits;
  /** Folders with limited disk usage. */
  readonly folders: readonly string[];
  readonly log: BuildLogWriter;
  readonly masker: SecretMasker;
  readonly signal: AbortSignal;
  /** How long to keep reading after the build has finished, in milliseconds; 5 s by default. */
  readonly drainMs?: number;
  onTrouble(message: string): void;
}

/** Maximum number of open output streams. A build process opens two. */
const MAX_STREAMS = 100;

const MAX_REASON = 4000;

/** Maximum length of the process's own error output that is kept, in characters. */
const MAX_WORDS = 2000;

/**
 * How long to wait until the output is closed, in milliseconds. If the output is still open after
 * that, an escaped process is holding it open.
 */
const DRAIN_MS = 5000;

/** Writes the process's events to the log. Returns the final event, if any. */
async function listen(
  stream: ReadableStream<Uint8Array>,
  build: SandboxedBuild,
): Promise<SandboxedEnd | undefined> {
  const { log, masker } = build;
  const streams = new Map<number, LineStream>();
  const streamOf = (number: number): LineStream => {
    let open = streams.get(number);
    if (open === undefined) {
      if (streams.size >= MAX_STREAMS) {
        throw new BuildTalkError("The build process wrote too much output");
      }
      open = createLineStream(masker, (line) => log.add("output", line));
      streams.set(number, open);
    }
    return open;
  };
  const say = (text: string): string[] =>
    masker.mask(text).split(/\r\n|[\n\r]/).map(plainText).filter((line) => line !== "");
  try {
    for await (const event of readEvents(stream)) {
      if (event.type === "output") streamOf(event.stream).push(event.text);
      else if (event.type === "output_end") {
        streams.get(event.stream)?.end();
        streams.delete(event.stream);
      } else if (event.type === "say") {
        for (const line of say(event.message)) log.add(event.level, line);
      } else if (event.type === "failed" || event.type === "skipped") {
        return { type: event.type, reason: say(event.reason).join("\n").slice(0, MAX_REASON) };
      } else if (event.type === "checked") return event;
      else return { type: "packed", packed: event };
    }
    return undefined;
  } finally {
    for (const open of streams.values()) open.end();
  }
}

async function lastWords(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of stream) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-MAX_WORDS);
    }
  } catch { /* events read so far count */ }
  return text.trim();
}

function minutes(milliseconds: number): string {
  const value = milliseconds / 60_000;
  return value >= 1
    ? formatCount(Math.round(value), "minute")
    : formatCount(Math.round(milliseconds / 1000), "second");
}

/** Stops reading a build's output `drainMs` after the build has finished. */
function boundReading({ drainMs = DRAIN_MS }: SandboxedBuild) {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    late: late.signal,
    begin: () => timer ??= setTimeout(() => late.abort(), drainMs),
    stop: () => clearTimeout(timer),
  };
}

/**
 * Runs a build and leaves no process running.
 *
 * @throws {StillRunningError} if a process cannot be stopped.
 */
export async function runSandboxed(build: SandboxedBuild): Promise<SandboxedEnd> {
  const { limits, signal } = build;
  signal.throwIfAborted();
  const group = createControlGroup(groupLimits(limits));
  const { child, end } = startSandbox({ ...build.run, group }, build.sandbox);
  const size = watchSize(build.folders, { maxBytes: limits.diskBytes });
  const processes = watchProcesses(child.pid, { maxBytes: limits.memoryBytes });
  const late = AbortSignal.timeout(limits.timeMs);
  const stopping = AbortSignal.any([signal, late, size.exceeded, processes.exceeded]);
  const reading = boundReading(build);
  const untilLate = () => new TransformStream<Uint8Array<ArrayBuffer>>();
  // Failures are ignored here, because `end()` is awaited again below.
  const stop = () => void end().then(reading.begin, reading.begin);
  stopping.addEventListener("abort", stop, { once: true });
  const errors = child.stderr.pipeThrough(untilLate(), { signal: reading.late });
  const words = lastWords(errors);
  let heard: SandboxedEnd | undefined;
  try {
    const output = child.stdout.pipeThrough(untilLate(), { signal: reading.late });
    heard = await listen(output, build);
  } catch (error) {
    if (!stopping.aborted) heard = { type: "failed", reason: reasonOf(error) };
  } finally {
    stopping.removeEventListener("abort", stop);
    processes.stop();
    await Promise.all([end(), size.stop()]).finally(reading.begin);
    words.then(reading.stop, reading.stop);
    await child.stdin.close().catch(() => {});
  }
  if (signal.aborted) return { type: "aborted" };
  const failed = (reason: string): SandboxedEnd => ({ type: "failed", reason });
  if (late.aborted) return failed(`The build took longer than ${minutes(limits.timeMs)}`);
  if (size.exceeded.aborted) {
    const most = formatBytes(limits.diskBytes);
    return failed(`The build used more than ${most} of disk space, or too many files`);
  }
  if (processes.exceeded.aborted || heard?.type !== "packed" && group?.ranOut === true) {
    return failed(`The build used more than ${formatBytes(limits.memoryBytes)} of memory`);
  }
  if (heard !== undefined) return heard;
  const { code, signal: killed } = await child.status;
  const said = await words;
  if (said !== "") build.onTrouble(`A build process exited early: ${plainText(said)}`);
  return failed(
    `The build process exited early, with ${killed === null ? `code ${code}` : killed}`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof BuildTalkError ? error.message : "The build process cannot be read";
}
