/** @module The platform's view of one worker: its calls, their bodies and time limits. */
import { BrokenBodyError } from "../../lib/broken_body.ts";
import { Deadlines } from "../http1/deadlines.ts";
import { SIGNAL_DELAY_MS } from "../http1/exchange_watch.ts";
import type { Frame } from "../process/frames/frame.ts";
import { toPayload } from "../process/frames/payload.ts";
import { type BodyReceiver, BodySender, readCredit } from "./body_link.ts";
import { FunctionCall, type UnbegunCall } from "./function_call.ts";
import { FunctionFetches } from "./function_fetches.ts";
import { BUSY_MS } from "./limits.ts";
import { parseError, parseFetch, parseLog, parseResult } from "./parse_wire.ts";
import { ProcessorTime, WARN_MS } from "./processor_time.ts";
import { StackMapper, withoutInlineMap } from "./source_map.ts";
import type { FailureReason, Invocation, InvocationResult } from "./types.ts";
import { FunctionFrame, MAX_STACK_CHARACTERS, type WireError, type WorkerStart } from "./wire.ts";
import type { FunctionWorkerOptions, WorkerContext } from "./worker_context.ts";

/** Time between two warnings about a worker's CPU time, in milliseconds. */
const WARN_EVERY_MS = 10_000;

interface WorkerCall {
  readonly call: FunctionCall;
  /** Called when the call is over. */
  readonly over: () => void;
}

/** Matches one of the runtime's stack frames, as opposed to the function's. */
const RUNTIME_FRAME = /^\s+at .*\b(?:ext|file|node):/;

export class FunctionWorker implements WorkerContext {
  /**
   * Resolves with `undefined` once the function is loaded, or with the error if it cannot be
   * loaded.
   */
  readonly ready: Promise<WireError | undefined>;
  readonly deadlines: Deadlines;
  readonly senders = new Map<number, BodySender>();
  readonly receivers = new Map<number, BodyReceiver>();
  readonly #calls = new Map<number, WorkerCall>();
  readonly #processor: ProcessorTime;
  readonly #fetches: FunctionFetches;
  readonly #mapper: StackMapper;
  #loaded!: (error: WireError | undefined) => void;
  readonly #startTimer: ReturnType<typeof setTimeout>;
  #next = 2;
  #dead = false;
  #loading = true;
  #isLoaded = false;
  #isLeaving = false;
  #isTired = false;
  #lastUse = performance.now();
  #warnedAt = -Infinity;
  /** ID of the last call that the process was asked to withdraw. */
  #askedBack = 0;

  constructor(readonly options: FunctionWorkerOptions) {
    const { timeoutMs, graceMs } = options.limits;
    this.deadlines = new Deadlines(Math.min(SIGNAL_DELAY_MS, timeoutMs, graceMs));
    this.#mapper = new StackMapper(options.definition.source);
    this.#processor = new ProcessorTime({ read: options.spentMs, now: () => performance.now() });
    this.#fetches = new FunctionFetches(this);
    this.ready = new Promise((resolve) => this.#loaded = resolve);
    const { startMs } = options.limits;
    this.#startTimer = setTimeout(() => {
      options.stuck("timeout", `Function "${this.name}" was not loaded within ${startMs} ms`);
    }, startMs);
  }

  get name(): string {
    return this.options.definition.name;
  }

  /** True until the function is loaded, or has failed to load. */
  get loading(): boolean {
    return this.#loading;
  }

  /** True while a call, or its background work, is in the worker. */
  get busy(): boolean {
    return this.#calls.size > 0;
  }

  /** True once the worker has been abandoned. */
  get dead(): boolean {
    return this.#dead;
  }

  /** True while the function is loaded and can be called. */
  get usable(): boolean {
    return !this.#dead && !this.#isLeaving && this.#isLoaded;
  }

  /** True once the worker must be replaced and gets no further calls. */
  get leaving(): boolean {
    return this.#isLeaving;
  }

  /**
   * True while the worker's thread uses the processor and sends nothing. Further calls would then
   * have to wait.
   */
  get spins(): boolean {
    return this.#isTired || this.#calls.size > 0 && this.#processor.silentMs >= BUSY_MS;
  }

  /**
   * True once a call has exceeded its limits. The background work of the call may continue, so the
   * worker must be replaced.
   */
  get tired(): boolean {
    return this.#isTired;
  }

  /** Number of calls in this worker. */
  get callCount(): number {
    return this.#calls.size;
  }

  /** Time since the last call ended, in milliseconds. */
  get idleMs(): number {
    return this.busy ? 0 : performance.now() - this.#lastUse;
  }

  /**
   * Reads the thread's CPU time and ends the first call that exceeds its limit. Later calls may not
   * have started. They are not to blame, so these calls move to another worker if this worker does
   * not recover.
   */
  look(): void {
    if (this.#dead || this.#isLeaving) return;
    this.#processor.look();
    for (const [id, { call }] of this.#calls) {
      if (call.cancelled) return;
      if (this.#processor.spentMs(id) <= this.options.limits.cpuMs) continue;
      this.#isTired = true;
      return call.overspent();
    }
  }

  /** Gives the worker no further calls. */
  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Returns the highest ID of the calls that should be withdrawn if they have not started, or
   * `undefined` if there are no such calls.
   */
  askBack(): number | undefined {
    const last = this.#next - 2;
    if (this.#calls.size === 0 || this.#askedBack === last) return undefined;
    return this.#askedBack = last;
  }

  /** Removes and returns the withdrawn calls, whose IDs are greater than `begun`. */
  giveBack(begun: number): UnbegunCall[] {
    const given: UnbegunCall[] = [];
    for (const [id, { call, over }] of [...this.#calls]) {
      if (id <= begun || id > this.#askedBack) continue;
      if (call.cancelled) {
        call.settled();
        continue;
      }
      this.#calls.delete(id);
      this.#processor.left(id);
      given.push(call.leave(over));
    }
    return given;
  }

  /** Sends the function to its worker once the worker has connected. */
  load(): void {
    const { definition, host, send } = this.options;
    const source = withoutInlineMap(definition.source);
    const head: WorkerStart = { ...definition, source, env: host.env };
    send(FunctionFrame.start, 0, toPayload(head));
  }

  /** Runs a call. Never rejects. */
  invoke(invocation: Invocation, over: () => void): Promise<InvocationResult> {
    const { timeoutMs } = this.options.limits;
    return new Promise((resolve) => this.adopt({ invocation, resolve, over, timeoutMs }));
  }

  /** Starts a call, which may have been moved from another worker. */
  adopt({ over, ...asked }: UnbegunCall): void {
    const id = this.#next;
    this.#next += 2;
    const call = new FunctionCall({ ...asked, id, worker: this, over: () => this.#ended(id) });
    this.#calls.set(id, { call, over });
    this.#processor.began(id);
    if (this.#dead) call.die("crashed", "The function process exited");
    else call.begin();
  }

  #ended(id: number): void {
    const known = this.#calls.get(id);
    if (known === undefined) return;
    const spentMs = this.#processor.ended(id);
    if (spentMs > WARN_MS) this.#warn(known.call, Math.round(spentMs));
    this.#calls.delete(id);
    this.#lastUse = performance.now();
    this.#fetches.abortOf(id);
    known.over();
  }

  #warn({ requestId }: FunctionCall, spentMs: number): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const message = `Function "${this.name}" used ${spentMs} ms of CPU time for one call; ` +
      `calls over ${WARN_MS} ms make other visitors wait`;
    this.options.log({ level: "warn", function: this.name, requestId, message });
  }

  /** Handles a frame from the worker. */
  take(frame: Frame): void {
    if (this.#dead) return;
    this.#processor.heard();
    switch (frame.type) {
      case FunctionFrame.ready:
        return this.#becomeReady(undefined);
      case FunctionFrame.broken:
        return this.#break(parseError(frame.payload) ?? { message: "Unknown error" });
      case FunctionFrame.result:
        return this.#takeResult(frame, false);
      case FunctionFrame.resultSettled:
        return this.#takeResult(frame, true);
      case FunctionFrame.settled:
        return this.#calls.get(frame.id)?.call.settled();
      case FunctionFrame.log:
        return this.#takeLog(frame);
      case FunctionFrame.fetch:
        return this.#takeFetch(frame);
      case FunctionFrame.abortFetch:
        return this.#fetches.abort(frame.id);
      default:
        return this.#takeBody(frame);
    }
  }

  /** Ends everything that runs in the worker. */
  die(reason: FailureReason, message: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#becomeReady({ message });
    for (const { call } of [...this.#calls.values()]) call.die(reason, message);
    for (const receiver of [...this.receivers.values()]) {
      receiver.fail(new BrokenBodyError(message));
    }
    for (const sender of [...this.senders.values()]) sender.discard(message);
    this.#fetches.abortAll();
    this.deadlines.stop();
  }

  /** Logs an error, with positions in the author's source. */
  logError(error: WireError, requestId: string | undefined): void {
    this.options.log({
      level: "error",
      function: this.name,
      message: error.message,
      requestId,
      ...(error.stack === undefined ? {} : { stack: this.#mapStack(error.stack) }),
    });
  }

  /** Removes the runtime's stack frames, which do not help the author. */
  #mapStack(stack: string): string {
    const lines = stack.split("\n").filter((line) => !RUNTIME_FRAME.test(line));
    return this.#mapper.map(lines.join("\n")).slice(0, MAX_STACK_CHARACTERS);
  }

  #becomeReady(error: WireError | undefined): void {
    clearTimeout(this.#startTimer);
    this.#loading = false;
    this.#isLoaded = error === undefined;
    this.#loaded(error);
  }

  #break(error: WireError): void {
    this.logError(error, undefined);
    this.#becomeReady(error);
  }

  #takeResult({ id, payload }: Frame, settled: boolean): void {
    const call = this.#calls.get(id)?.call;
    if (call === undefined) return;
    const result = parseResult(payload);
    if (settled) call.willSettle();
    if (result === undefined) {
      call.invalid("The function's result has headers that are not allowed");
    } else call.answered(result);
    if (settled) call.settled();
  }

  #takeLog({ payload }: Frame): void {
    const entry = parseLog(payload);
    if (entry === undefined) return;
    const requestId = entry.call === undefined
      ? undefined
      : this.#calls.get(entry.call)?.call.requestId;
    this.options.log({
      level: entry.level,
      function: this.name,
      message: entry.message,
      requestId,
      ...(entry.stack === undefined ? {} : { stack: this.#mapStack(entry.stack) }),
    });
  }

  #takeFetch({ id, payload }: Frame): void {
    // If this request replaced an earlier request with the same ID, the earlier one would be
    // neither counted nor ended.
    if (this.#fetches.has(id)) return this.#breakOff();
    const head = parseFetch(payload);
    const call = head === undefined ? undefined : this.#calls.get(head.call)?.call;
    if (head === undefined || call === undefined || id % 2 === 0) {
      return this.options.send(
        FunctionFrame.fetchFailed,
        id,
        new TextEncoder().encode("The request is not allowed"),
      );
    }
    this.#fetches.perform(id, head, call).catch((error) =>
      this.options.stuck("crashed", `Cannot send a request of "${this.name}": ${error}`)
    );
  }

  #takeBody({ type, id, payload }: Frame): void {
    if (type === FunctionFrame.chunk) {
      if (this.receivers.get(id)?.chunk(payload) !== false) return;
      this.options.stuck("crashed", `Function "${this.name}" sent more data than requested`);
    } else if (type === FunctionFrame.end) this.receivers.get(id)?.end();
    else if (type === FunctionFrame.fail) {
      const message = new TextDecoder().decode(payload.subarray(0, 1000));
      this.receivers.get(id)?.brokeOff(new BrokenBodyError(message));
    } else if (type === FunctionFrame.credit) this.senders.get(id)?.grant(readCredit(payload));
    else if (type === FunctionFrame.drop) {
      this.senders.get(id)?.stop("The function stopped reading");
    } else this.#breakOff();
  }

  #breakOff(): void {
    this.options.stuck("crashed", `Function "${this.name}" violated the protocol`);
  }
}
