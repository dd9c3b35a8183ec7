/** @module The functions of one deployment. Every call gets a result, even if a function fails. */
import { LineLimit } from "../process/frames/log_lines.ts";
import { ConcurrencyGate, waitForPlace } from "../process/concurrency_gate.ts";
import { within } from "../process/timers.ts";
import { FunctionSupervisor } from "./function_supervisor.ts";
import {
  DEFAULT_FUNCTION_LIMITS,
  type FunctionLimits,
  MAX_LOG_ENTRIES_PER_SECOND,
} from "./limits.ts";
import type {
  FailureReason,
  FunctionHostOptions,
  FunctionLogEntry,
  FunctionSource,
  Invocation,
  InvocationResult,
} from "./types.ts";

const failed = (reason: FailureReason, message: string): InvocationResult => ({
  type: "failed",
  reason,
  message,
});

export class FunctionHost {
  readonly #limits: FunctionLimits;
  readonly #gate: ConcurrencyGate;
  readonly #supervisors = new Map<string, FunctionSupervisor>();
  readonly #lines = new LineLimit(MAX_LOG_ENTRIES_PER_SECOND);
  #closed = false;
  /** True if the deployment is no longer live. Then its processes exit after the last call. */
  #endsWhenIdle = false;
  #emptied: (() => void) | undefined;

  readonly #options: FunctionHostOptions;

  constructor(options: FunctionHostOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_FUNCTION_LIMITS, ...options.limits };
    this.#gate = new ConcurrencyGate(this.#limits);
    this.#place(options.functions);
  }

  get names(): readonly string[] {
    return this.#options.functions.map(({ name }) => name);
  }

  /** IDs of the running processes. */
  get pids(): readonly number[] {
    return [...new Set(this.#supervisors.values())].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Starts the processes and workers before they are needed.
   *
   * @returns the functions that could not be loaded, each with the reason
   */
  async start(): Promise<readonly { readonly name: string; readonly message: string }[]> {
    const loaded = this.names.map(async (name) => {
      const worker = await this.#supervisors.get(name)!.worker(name);
      const message = "problem" in worker ? worker.problem : (await worker.ready)?.message;
      return message === undefined ? [] : [{ name, message }];
    });
    return (await Promise.all(loaded)).flat();
  }

  /** Calls a function. Never rejects. */
  async invoke(invocation: Invocation): Promise<InvocationResult> {
    const supervisor = this.#supervisors.get(invocation.function);
    if (supervisor === undefined) {
      return failed("not_found", `Deployment has no function "${invocation.function}"`);
    }
    if (this.#closed) return failed("aborted", "The functions have been shut down");
    const entered = this.#gate.enter();
    if (entered === undefined) {
      return failed("overloaded", "Too many calls are waiting for functions");
    }
    const release = typeof entered === "function"
      ? entered
      : await waitForPlace(entered, this.#limits.timeoutMs);
    if (release === undefined) {
      return failed("overloaded", "The call waited too long for a free slot");
    }
    const over = (): void => {
      release();
      this.#settle();
    };
    const loaded = supervisor.ending === undefined
      ? supervisor.loaded(invocation.function)
      : undefined;
    if (loaded !== undefined) return loaded.invoke(invocation, over);
    await supervisor.ending;
    const worker = await this.#supervisors.get(invocation.function)!.worker(invocation.function);
    if ("problem" in worker) {
      over();
      return failed(worker.reason, worker.problem);
    }
    const problem = await worker.ready;
    if (problem !== undefined) {
      over();
      return failed("crashed", problem.message);
    }
    return worker.invoke(invocation, over);
  }

  /** True while calls are running. */
  get #isBusy(): boolean {
    return this.#gate.running > 0;
  }

  /** Must be called when a call has finished. */
  #settle(): void {
    if (this.#isBusy) return;
    this.#emptied?.();
    if (this.#endsWhenIdle) this.endWhenIdle().catch(() => {});
  }

  /** Waits until calls and their `waitUntil` work have finished, then stops the processes. */
  async drain(timeoutMs: number): Promise<void> {
    this.#closed = true;
    if (this.#isBusy) {
      await within(new Promise<void>((resolve) => this.#emptied = resolve), timeoutMs);
    }
    await this.close();
  }

  /**
   * Stops the processes as soon as there are no calls, because the deployment is no longer live. A
   * later call starts them again.
   */
  async endWhenIdle(): Promise<void> {
    this.#endsWhenIdle = this.#isBusy;
    if (this.#endsWhenIdle) return;
    await Promise.all(
      [...new Set(this.#supervisors.values())].map((supervisor) => supervisor.endUnused()),
    );
  }

  /** Kills the processes. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...new Set(this.#supervisors.values())].map((supervisor) => supervisor.close()),
    );
  }

  #place(functions: readonly FunctionSource[]): FunctionSupervisor | undefined {
    if (functions.length === 0) return undefined;
    const supervisor = new FunctionSupervisor({
      host: this.#options,
      limits: this.#limits,
      functions,
      busy: () => this.#isBusy,
      log: (entry) => this.#log(entry),
      broke: (broken, suspects) => this.#separate(broken, suspects),
    });
    for (const { name } of functions) this.#supervisors.set(name, supervisor);
    return supervisor;
  }

  /**
   * Moves functions that broke a shared process to separate processes. The other functions then
   * recover after one restart. If no function is suspected, each function gets its own process.
   */
  #separate(broken: FunctionSupervisor, suspects: readonly string[]): void {
    if (this.#closed) return;
    const members = this.#options.functions.filter(({ name }) => broken.names.has(name));
    if (members.length > 1) {
      const blamed = new Set(suspects.length > 0 ? suspects : broken.names);
      const rest = members.filter(({ name }) => !blamed.has(name));
      const supervisors = [
        this.#place(rest),
        ...members.filter(({ name }) => blamed.has(name)).map((member) => this.#place([member])),
      ];
      for (const supervisor of supervisors) void supervisor?.start().catch(() => {});
    } else if (suspects.length > 0) broken.restart();
  }

  #log(entry: Omit<FunctionLogEntry, "time">): void {
    const time = (this.#options.now ?? Date.now)();
    if (this.#lines.take(time).passes) this.#options.log({ time, ...entry });
  }
}

/**
 * Creates the host for a deployment's functions. Nothing runs before `start()` or the first call.
 */
export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  return new FunctionHost(options);
}
