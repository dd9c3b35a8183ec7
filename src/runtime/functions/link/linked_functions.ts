/**
 * An edge thread's end of the links: it calls functions in workers of its own, in
 * processes that the platform supervises.
 *
 * @module
 */
import type { Frame } from "../../process/frames/mod.ts";
import type { End, FailureReason, Invocation, InvocationResult } from "../types.ts";
import type { FunctionLease } from "./function_links.ts";
import { LinkedProcess, type LinkedProcessOptions } from "./linked_process.ts";

/** How often a call is begun again, where processes end under it before it has begun. */
const ATTEMPTS = 3;

export interface LinkedFunctionsOptions extends LinkedProcessOptions {
  /** Asks the platform for the process of a deployment's functions. */
  lease(deploymentId: string): Promise<FunctionLease | undefined>;
}

const failed = (reason: FailureReason, message: string): InvocationResult => ({
  type: "failed",
  reason,
  message,
});

/** The functions of one deployment, as a thread calls them. */
class DeploymentFunctions {
  #process: LinkedProcess | undefined;
  #leasing: Promise<LinkedProcess | undefined> | undefined;

  constructor(private readonly lease: () => Promise<LinkedProcess | undefined>) {}

  /** Whether all these functions can be called now; those that cannot are started. */
  ready(names: readonly string[]): boolean {
    const process = this.#process;
    if (process?.isOpen !== true) {
      void this.#renew();
      return false;
    }
    let isReady = true;
    for (const name of names) {
      if (process.loaded(name) !== undefined) continue;
      isReady = false;
      process.worker(name);
    }
    return isReady;
  }

  /** Calls a function. Never rejects. */
  async invoke(invocation: Invocation): Promise<InvocationResult> {
    const name = invocation.function;
    const process = this.#process;
    const worker = process?.loaded(name);
    const release = worker && process?.enter();
    return worker !== undefined && release !== undefined
      ? await worker.invoke(invocation, release)
      : await this.#invokeLater(invocation);
  }

  async #invokeLater(invocation: Invocation): Promise<InvocationResult> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const process = this.#process?.isOpen ? this.#process : await this.#renew();
      const worker = process?.worker(invocation.function);
      if (process === undefined || worker === undefined) break;
      const problem = await worker.ready;
      if (problem !== undefined) return failed("crashed", problem.message);
      const { timeoutMs } = worker.options.limits;
      const release = await process.waitForPlace(performance.now() + timeoutMs);
      if (release !== undefined && worker.usable) return await worker.invoke(invocation, release);
      release?.();
      if (release === undefined && process.isOpen) {
        return failed("overloaded", "Waited too long for a place");
      }
    }
    return failed("crashed", "The process of the functions has ended");
  }

  /** Asks for the process that runs now; those who ask at the same time share the answer. */
  #renew(): Promise<LinkedProcess | undefined> {
    return this.#leasing ??= this.lease()
      .then((process) => this.#process = process)
      .finally(() => this.#leasing = undefined);
  }
}

/** The functions that a thread may call, by deployment. */
export class LinkedFunctions {
  readonly #deployments = new Map<string, DeploymentFunctions>();
  /** By generation. */
  readonly #processes = new Map<number, LinkedProcess>();

  constructor(private readonly options: LinkedFunctionsOptions) {}

  /** What calls these functions of a deployment; `undefined` while some cannot be called here. */
  find(deploymentId: string, names: readonly string[]): DeploymentFunctions | undefined {
    let functions = this.#deployments.get(deploymentId);
    if (functions === undefined) {
      functions = new DeploymentFunctions(() => this.#lease(deploymentId));
      this.#deployments.set(deploymentId, functions);
    }
    return functions.ready(names) ? functions : undefined;
  }

  /** Takes what a process says of a worker of this thread. */
  take(generation: number, frame: Frame): void {
    this.#processes.get(generation)?.take(frame);
  }

  /** A process has ended. */
  ended(generation: number, end: End): void {
    const process = this.#processes.get(generation);
    this.#processes.delete(generation);
    process?.ended(end);
  }

  /** Forgets a deployment that no host shows any more. */
  forget(deploymentId: string): void {
    this.#deployments.delete(deploymentId);
  }

  async #lease(deploymentId: string): Promise<LinkedProcess | undefined> {
    const lease = await this.options.lease(deploymentId).catch(() => undefined);
    if (lease === undefined) return undefined;
    const known = this.#processes.get(lease.generation);
    if (known !== undefined) return known;
    const process = new LinkedProcess(lease, this.options);
    this.#processes.set(lease.generation, process);
    return process;
  }
}
