/** @module A call, from the frame that starts it until all its work has finished. */
import { BrokenBodyError } from "../../lib/broken_body.ts";
import { Deadline } from "../http1/deadlines.ts";
import { resolveSignal, SIGNAL_DELAY_MS } from "../http1/exchange_watch.ts";
import { toPayload } from "../process/frames/payload.ts";
import { BodyReceiver, BodySender, EAGER_BYTES } from "./body_link.ts";
import type { FailureReason, Invocation, InvocationResult } from "./types.ts";
import {
  FunctionFrame,
  type InvokeHead,
  type ResultHead,
  type StepMode,
  type WireBody,
} from "./wire.ts";
import type { WorkerContext } from "./worker_context.ts";

/** Allowed results for each kind of step. */
const ALLOWED: Readonly<Record<StepMode, readonly ResultHead["type"][]>> = {
  request: ["next", "request", "response"],
  response: ["next", "response"],
  observe: ["next"],
  handle: ["response"],
};

const CLIENT_GONE = "The client disconnected";

/** Methods without a body in the Fetch standard, which compares them case-insensitively. */
const READING = /^(?:get|head)$/i;

interface FunctionCallOptions {
  readonly id: number;
  readonly invocation: Invocation;
  readonly worker: WorkerContext;
  /** Maximum time until the call's result, in milliseconds. */
  readonly timeoutMs: number;
  readonly resolve: (result: InvocationResult) => void;
  /** Called once when all work of the call has finished. */
  readonly over: () => void;
}

/** A call that its worker never began and that another worker can therefore take. */
export type UnbegunCall = Pick<
  FunctionCallOptions,
  "invocation" | "resolve" | "over" | "timeoutMs"
>;

export class FunctionCall {
  readonly #deadline = new Deadline(() => this.#act());
  /** Called when the time is up. */
  #act: () => void = () => {};
  #signal: AbortSignal | undefined;
  readonly #beganAt = performance.now();
  #cancelled = false;
  #answered = false;
  #settled = false;
  #streaming = false;
  #over = false;
  /** True if the client aborted the request body, which may be why the function failed. */
  #bodyBroke = false;

  readonly #options: FunctionCallOptions;

  constructor(options: FunctionCallOptions) {
    this.#options = options;
  }

  get requestId(): string {
    return this.#options.invocation.context.requestId;
  }

  /** The `Via` field of the call's requests. */
  get via(): string | undefined {
    return this.#options.invocation.via;
  }

  begin(): void {
    const { id, invocation, worker } = this.#options;
    const { signal } = invocation;
    const isLater = typeof signal === "function";
    if (!isLater) {
      if (signal?.aborted === true) return this.die("client_gone", CLIENT_GONE);
      this.#attachSignal();
    }
    const body = this.#givenBody();
    if (body !== null) {
      const sender = new BodySender(body, {
        send: (type, payload) => worker.options.send(type, id, payload),
        credit: 0,
        finished: () => worker.senders.delete(id),
        brokeOff: (error) => this.#noteBroken(error),
      });
      worker.senders.set(id, sender);
    }
    const { timeoutMs } = this.#options;
    if (isLater && timeoutMs > SIGNAL_DELAY_MS) {
      this.#arm(() => {
        this.#arm(this.#timeOut, timeoutMs - SIGNAL_DELAY_MS);
        this.#attachSignal();
      }, SIGNAL_DELAY_MS);
    } else this.#arm(this.#timeOut, timeoutMs);
    worker.options.send(FunctionFrame.invoke, id, toPayload(this.#head()));
  }

  /** Accepts the function's first result, and ignores later results. */
  answered(result: ResultHead): void {
    if (this.#answered) return;
    if (result.type === "failed") {
      if (this.#bodyBroke && result.reason === "threw") {
        const message = "The client aborted the request body";
        return this.#resolve({ type: "failed", reason: "client_gone", message });
      }
      this.#options.worker.logError(result.error, this.requestId);
      return this.#resolve({
        type: "failed",
        reason: result.reason,
        message: result.error.message,
      });
    }
    if (!ALLOWED[this.#options.invocation.mode].includes(result.type)) {
      return this.invalid("The function's result is not allowed here");
    }
    if (result.type === "next") return this.#resolve(result);
    if (result.type === "request") {
      const { body, type, ...head } = result;
      return this.#resolve({ type, request: { ...head, body: this.#resultBody(body) } });
    }
    const { body, type, ...head } = result;
    this.#resolve({ type, response: { ...head, body: this.#resultBody(body) } });
  }

  /** Fails the call because the function's result is not valid. */
  invalid(message: string): void {
    this.#options.worker.logError({ message }, this.requestId);
    this.#resolve({ type: "failed", reason: "invalid_result", message });
  }

  /** Records that the next result also ends the call. */
  willSettle(): void {
    this.#settled = true;
  }

  /** Accepts the worker's report that all work of the call has finished. */
  settled(): void {
    this.#settled = true;
    if (!this.#answered) this.invalid("The function ended without a result");
    this.#finish();
  }

  /** Ends the call because it exceeded its CPU time. */
  overspent(): void {
    if (this.#cancelled) return;
    const { name, options: { limits } } = this.#options.worker;
    const message = `Function "${name}" used more than ${limits.cpuMs} ms of CPU time`;
    this.#options.worker.logError({ message }, this.requestId);
    this.#cancel("timeout", message);
  }

  /** True once the worker has been told to end the call. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Removes the call from its worker, which has not started it and never will. */
  leave(over: () => void): UnbegunCall {
    const { id, worker, invocation, resolve, timeoutMs } = this.#options;
    this.#end();
    worker.senders.delete(id);
    const left = timeoutMs - (performance.now() - this.#beganAt);
    return { invocation, resolve, over, timeoutMs: Math.max(1, left) };
  }

  /** Ends the call immediately, because the worker has exited. */
  die(reason: FailureReason, message: string): void {
    this.#settled = true;
    this.#streaming = false;
    this.#resolve({ type: "failed", reason, message });
    this.#finish();
  }

  /** Gets the signal and starts listening to it. */
  #attachSignal(): void {
    this.#signal ??= resolveSignal(this.#options.invocation.signal);
    if (this.#signal?.aborted === true) this.#abort();
    else this.#signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /**
   * The client has disconnected, but work passed to `waitUntil()` continues, as after any response.
   */
  readonly #abort = (): void => {
    if (!this.#answered) return this.#cancel("client_gone", CLIENT_GONE);
    const { id, worker } = this.#options;
    worker.receivers.get(id)?.drop(new BrokenBodyError(CLIENT_GONE));
    if (!this.#over) this.#arm(this.#timeOut, worker.options.limits.waitUntilMs);
  };

  readonly #timeOut = (): void => {
    if (!this.#answered) {
      const { timeoutMs } = this.#options.worker.options.limits;
      const message =
        `Function "${this.#options.worker.name}" returned no result within ${timeoutMs} ms`;
      this.#options.worker.logError({ message }, this.requestId);
      return this.#cancel("timeout", message);
    }
    const message = this.#streaming
      ? "The body transfer took too long"
      : "waitUntil() took too long";
    this.#options.worker.logError({ message }, this.requestId);
    this.#cancel("timeout", message);
  };

  /** Ends the call. If the worker does not react, it is replaced. */
  #cancel(reason: FailureReason, message: string): void {
    const { id, worker } = this.#options;
    this.#cancelled = true;
    this.#resolve({ type: "failed", reason, message });
    worker.options.send(FunctionFrame.cancel, id);
    worker.receivers.get(id)?.fail(new BrokenBodyError(message));
    worker.senders.get(id)?.stop(message);
    this.#arm(() => {
      worker.options.stuck(
        reason === "client_gone" ? "crashed" : reason,
        `Function "${worker.name}" is not responding and will be restarted`,
      );
    }, worker.options.limits.graceMs);
  }

  #resolve(result: InvocationResult): void {
    if (this.#answered) return;
    this.#answered = true;
    const { id, worker, resolve } = this.#options;
    const sender = worker.senders.get(id);
    if (result.type === "failed") sender?.stop(result.message);
    // A streamed result may still read the body that the function was given.
    else if (!this.#streaming && sender?.started !== true) worker.senders.delete(id);
    resolve(result);
    if (this.#settled && !this.#streaming) return;
    const { streamMs, waitUntilMs } = worker.options.limits;
    this.#arm(this.#timeOut, this.#streaming ? streamMs : waitUntilMs);
    if (this.#streaming) this.#attachSignal();
    else this.#signal?.removeEventListener("abort", this.#abort);
  }

  #arm(act: () => void, delay: number): void {
    if (this.#over) return;
    this.#act = act;
    this.#options.worker.deadlines.set(this.#deadline, delay);
  }

  #finish(): void {
    if (this.#over || !this.#settled || this.#streaming) return;
    this.#end();
    this.#options.worker.senders.get(this.#options.id)?.stop("The call has ended");
    this.#options.over();
  }

  /** Stops waiting for the worker and the client. */
  #end(): void {
    this.#over = true;
    this.#deadline.at = Infinity;
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  #noteBroken(error: unknown): void {
    const isClients = this.#options.invocation.mode !== "response" &&
      !(error instanceof BrokenBodyError);
    if (isClients) this.#bodyBroke = true;
  }

  #givenBody(): ReadableStream<Uint8Array> | null {
    const { mode, request, response } = this.#options.invocation;
    if (mode === "response") return response?.body ?? null;
    if (mode === "observe" || READING.test(request.method)) return null;
    return request.body;
  }

  #resultBody(body: WireBody): ReadableStream<Uint8Array> | null {
    if (body === "none") return null;
    const { id, worker } = this.#options;
    const sender = worker.senders.get(id);
    if (body === "kept") {
      return sender?.started === true ? null : this.#givenBody();
    }
    this.#streaming = true;
    const receiver = new BodyReceiver({
      send: (type, payload) => worker.options.send(type, id, payload),
      credit: EAGER_BYTES,
      finished: () => {
        worker.receivers.delete(id);
        this.#streaming = false;
        this.#finish();
      },
    });
    worker.receivers.set(id, receiver);
    return receiver.stream;
  }

  #head(): InvokeHead {
    const { mode, as, request, response, context } = this.#options.invocation;
    const hasBody = this.#givenBody() !== null;
    return {
      mode,
      as,
      request: {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: hasBody && mode !== "response",
      },
      ...(response === undefined ? {} : {
        response: {
          status: response.status,
          statusText: response.statusText,
          headers: response.headers,
          body: hasBody && mode === "response",
        },
      }),
      context,
    };
  }
}
