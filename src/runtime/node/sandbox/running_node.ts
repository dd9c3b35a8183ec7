/** @module A running Node process, which is stopped if it exceeds its limits. */
import { temporaryBytes } from "../../process/temporary_files.ts";
import { memoryOf } from "./process_limits.ts";
import type { ProcessTree } from "./process_tree.ts";
import type { Thread } from "./thread.ts";
import type { NodeEnd, NodeSandbox, RunningNode } from "./types.ts";

/** How often memory is checked, in milliseconds. */
const POLL_MS = 50;

/** Number of memory checks per check of the folder for temporary files. */
const LOOKS_PER_FOLDER = 20;

/** Number of consecutive checks that find no memory before Node counts as exited. */
const MAX_EMPTY_LOOKS = 20;

const MIB = 1024 * 1024;

interface RunningOptions {
  readonly pid: number;
  readonly sandbox: NodeSandbox;
  readonly thread: Thread;
  readonly memoryMb: number;
  /** All of the server's processes, if the server can start processes. */
  readonly tree: ProcessTree | undefined;
  /** Counts the checks, to show Node's thread that this thread is still running. */
  readonly beat: Int32Array<SharedArrayBuffer>;
  /** The folder for temporary files, if the kernel does not limit it. */
  readonly temporary?: { readonly folder: string; readonly maxMb: number };
}

export class Running implements RunningNode {
  readonly ended: Promise<NodeEnd>;
  readonly pid: number;
  readonly sandbox: NodeSandbox;
  #end: Pick<NodeEnd, "reason" | "message"> | undefined;
  #empty = 0;

  readonly #options: RunningOptions;

  constructor(options: RunningOptions) {
    this.#options = options;
    const { pid, sandbox, thread } = options;
    this.pid = pid;
    this.sandbox = sandbox;
    const watch = setInterval(() => this.#look(), POLL_MS);
    this.ended = thread.next("ended").catch((error) => ({
      code: 1,
      signal: null,
      error: String(error),
    })).then((how) => this.#describe(how)).finally(() => {
      clearInterval(watch);
      this.#options.tree?.kill();
      thread.close();
    });
  }

  residentBytes(): number {
    const { tree, memoryMb } = this.#options;
    return tree === undefined ? memoryOf(this.pid) : tree.residentBytes(memoryMb * MIB);
  }

  terminate(): void {
    const { tree } = this.#options;
    if (tree === undefined) this.#signal("SIGTERM");
    else tree.signal("SIGTERM");
  }

  kill(): void {
    this.#stop({ reason: "killed", message: "Node was stopped" });
  }

  /** Stops Node. If this is called several times, the first reason is kept. */
  #stop(end: Pick<NodeEnd, "reason" | "message">): void {
    this.#end ??= end;
    this.#signal("SIGKILL");
    this.#options.tree?.kill();
    this.#options.thread.send({ type: "end" });
  }

  #signal(signal: Deno.Signal): void {
    try {
      Deno.kill(this.pid, signal);
    } catch { /* it has exited */ }
  }

  #look(): void {
    const { memoryMb, beat, temporary } = this.#options;
    const looks = Atomics.add(beat, 0, 1);
    const bytes = this.residentBytes();
    this.#empty = bytes === 0 ? this.#empty + 1 : 0;
    // The kernel reports no memory for a process if its first thread has exited.
    if (this.#empty >= MAX_EMPTY_LOOKS) return this.kill();
    if (bytes > memoryMb * MIB) {
      const message = `Node used more than ${memoryMb} MiB of memory`;
      return this.#stop({ reason: "memory", message });
    }
    if (temporary === undefined || looks % LOOKS_PER_FOLDER !== 0) return;
    if (temporaryBytes(temporary.folder, this.pid) <= temporary.maxMb * MIB) return;
    const message = `Node wrote more than ${temporary.maxMb} MiB of temporary files`;
    this.#stop({ reason: "disk", message });
  }

  #describe(
    { code, signal, error }: {
      readonly code: number;
      readonly signal: string | null;
      readonly error?: string;
    },
  ): NodeEnd {
    const how = error ?? (signal === null ? `with code ${code}` : `by ${signal}`);
    const end = this.#end ?? { reason: "exited", message: `Node has stopped ${how}` };
    return { ...end, code, signal };
  }
}
