/** @module A worker's calls, from the head to the result and any later `waitUntil` work. */
import type { HeaderList } from "../../http1/head.ts";
import { toPayload } from "../../process/frames/payload.ts";
import { BodyReceiver, BodySender, EAGER_BYTES } from "../body_link.ts";
import {
  type CallContext,
  FunctionFrame,
  type InvokeHead,
  MAX_HEAD_CHARACTERS,
  type ResultHead,
} from "../wire.ts";
import { type Call, currentCall } from "./call.ts";
import {
  type Classified,
  classifyResult,
  type GivenBody,
  type StepFacts,
} from "./classify_result.ts";
import { describeError } from "./describe_error.ts";
import type { WorkerLink } from "./link.ts";

/** The author's function. */
export type Handler = (request: Request, context: object) => unknown;

const NativeRequest = Request;
const NativeResponse = Response;

interface CallsOptions {
  readonly link: WorkerLink;
  readonly handler: Handler;
  readonly env: Readonly<Record<string, string>>;
  /** `context.kv`. */
  readonly kv: object;
  /** `context.queue`. */
  readonly queue: object;
  /** `context.database`. */
  readonly database: object;
  /** Logs an error. `call` is the ID of the call that it belongs to, if known. */
  readonly report: (error: unknown, call: number | undefined) => void;
}

/** The payload for the result of most request steps, which change nothing. */
const NEXT_PAYLOAD = toPayload({ type: "next" } satisfies ResultHead);

/** Casts headers to the type of the runtime's constructors, which do not change the headers. */
const asInit = (pairs: HeaderList): [string, string][] => pairs as [string, string][];

export class WorkerCalls {
  readonly #calls = new Map<number, Call>();

  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** The current call, if it is the only one. */
  readonly only = (): Call | undefined => {
    if (this.#calls.size !== 1) return undefined;
    for (const call of this.#calls.values()) return call;
  };

  async invoke(id: number, head: InvokeHead): Promise<void> {
    const call: Call = {
      id,
      abort: new AbortController(),
      pending: 0,
      answered: false,
      settled: false,
    };
    this.#calls.set(id, call);
    try {
      const facts = this.#facts(call, head);
      const context = this.#context(call, head, facts);
      const { handler } = this.#options;
      const value = await currentCall.run(call, () => handler(facts.request, context));
      this.#answer(call, classifyResult(value, facts));
    } catch (error) {
      this.fail(call, error);
    }
    this.#settle(call);
  }

  /** Ends a call with an error, unless it has already ended. */
  fail(call: Call, error: unknown): void {
    this.#answer(call, {
      head: { type: "failed", reason: "threw", error: describeError(error) },
    });
  }

  /** Withdraws a call at the platform's request. */
  cancel(id: number): void {
    const call = this.#calls.get(id);
    if (call === undefined) return this.#options.link.send(FunctionFrame.settled, id);
    call.answered = true;
    call.pending = 0;
    call.abort.abort(new DOMException("The call has ended", "AbortError"));
    this.#options.link.senders.get(id)?.stop("The call has ended");
    this.#options.link.receivers.get(id)?.fail(new TypeError("The call has ended"));
    this.#settle(call);
  }

  #given(id: number, present: boolean): BodyReceiver | undefined {
    if (!present) return undefined;
    const { link } = this.#options;
    const receiver = new BodyReceiver({
      send: (type, payload) => link.send(type, id, payload),
      credit: 0,
      finished: () => link.receivers.delete(id),
    });
    link.receivers.set(id, receiver);
    return receiver;
  }

  #facts(call: Call, head: InvokeHead): StepFacts {
    const inResponse = head.mode === "response";
    const receiver = this.#given(
      call.id,
      inResponse ? head.response?.body === true : head.request.body,
    );
    const given: GivenBody | undefined = receiver === undefined
      ? undefined
      : { stream: receiver.stream, started: () => receiver.started };
    const request = new NativeRequest(head.request.url, {
      method: head.request.method,
      headers: asInit(head.request.headers),
      signal: call.abort.signal,
      ...(inResponse || given === undefined ? {} : { body: given.stream, duplex: "half" }),
    });
    const response = head.response === undefined ? undefined : new NativeResponse(
      inResponse && given !== undefined ? given.stream : null,
      {
        status: head.response.status,
        statusText: head.response.statusText ?? "",
        headers: asInit(head.response.headers),
      },
    );
    return {
      mode: head.mode,
      request,
      response,
      given,
    };
  }

  #context(call: Call, head: InvokeHead, facts: StepFacts): object {
    const given: CallContext = head.context;
    return {
      requestId: given.requestId,
      ip: given.ip,
      geo: given.country === undefined ? {} : { country: given.country },
      asn: given.asn,
      device: given.device,
      deployment: given.deployment,
      env: this.#options.env,
      kv: this.#options.kv,
      queue: this.#options.queue,
      database: this.#options.database,
      as: head.as,
      response: facts.response,
      waitUntil: (promise: unknown) => this.#waitUntil(call, promise),
    };
  }

  #waitUntil(call: Call, promise: unknown): void {
    if (call.settled) throw new TypeError("waitUntil() was called after the call had ended");
    call.pending++;
    const done = (): void => {
      call.pending--;
      this.#settle(call);
    };
    Promise.resolve(promise).then(done, (error) => {
      this.#options.report(error, call.id);
      done();
    });
  }

  #answer(call: Call, result: Classified): void {
    if (call.answered) return;
    call.answered = true;
    const { link } = this.#options;
    let payload = result.head.type === "next" ? NEXT_PAYLOAD : toPayload(result.head);
    let body = result.body;
    if (payload.byteLength > MAX_HEAD_CHARACTERS) {
      const message =
        `The result's headers exceed ${MAX_HEAD_CHARACTERS} bytes: ${payload.byteLength}`;
      const head: ResultHead = { type: "failed", reason: "invalid_result", error: { message } };
      payload = toPayload(head);
      body = undefined;
    }
    if (body === undefined && call.pending === 0) {
      call.settled = true;
      this.#calls.delete(call.id);
      return link.send(FunctionFrame.resultSettled, call.id, payload);
    }
    link.send(FunctionFrame.result, call.id, payload);
    if (body === undefined) return;
    call.pending++;
    const sender = new BodySender(body, {
      send: (type, part) => link.send(type, call.id, part),
      credit: EAGER_BYTES,
      finished: () => {
        link.senders.delete(call.id);
        call.pending--;
        this.#settle(call);
      },
    });
    link.senders.set(call.id, sender);
  }

  #settle(call: Call): void {
    if (!call.answered || call.pending > 0 || call.settled) return;
    call.settled = true;
    this.#calls.delete(call.id);
    this.#options.link.send(FunctionFrame.settled, call.id);
  }
}
