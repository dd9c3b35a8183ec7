/** @module Runs the steps of a pipeline in a deployment's functions. */
import type {
  CallContext,
  FunctionRequest,
  FunctionResponse,
  Invocation,
  InvocationResult,
} from "../../runtime/mod.ts";
import { endToEndHeaders, isEdgeOwn, responseHeadersFrom } from "../messages/message_headers.ts";
import { findHeader, type HeaderList } from "../messages/header_list.ts";
import { isStream } from "../messages/body.ts";
import type { PipelineRequest, PipelineResponse } from "../messages/messages.ts";
import type { PlannedStep } from "./plan.ts";
import type { StepResult, StepRunner } from "./step_runner.ts";

/** The functions of a deployment. The platform provides them. */
export interface SiteFunctions {
  invoke(invocation: Invocation): Promise<InvocationResult>;
}

interface RunnerOptions {
  /** Missing for a deployment without functions. In that case, the deployment's steps fail. */
  readonly functions: SiteFunctions | undefined;
  /** Called once, when the first function runs. */
  readonly context: () => CallContext;
  /** Aborted when the client disconnects. */
  readonly signal: () => AbortSignal;
  /** `Via` of the requests that the functions send. */
  readonly via: () => string;
}

const PARTIAL_CONTENT = 206;

type StreamBody = FunctionResponse["body"];

/** Returns a body in memory as a stream of one chunk. */
function toStream(body: PipelineResponse["body"]): StreamBody {
  return body === null || isStream(body) ? body : new Blob([body]).stream();
}

function toResponse(response: PipelineResponse): FunctionResponse {
  return { status: response.status, headers: response.headers, body: toStream(response.body) };
}

/**
 * Returns the header fields that a new response takes over from the previous one: the cache status,
 * and the fields that a client needs to use a partial response (RFC 9110, 15.3.7.1).
 */
function keptFields(
  own: HeaderList,
  { status, before }: { readonly status: number; readonly before: PipelineResponse | undefined },
): HeaderList {
  if (before === undefined) return [];
  const isPart = status === PARTIAL_CONTENT && before.status === PARTIAL_CONTENT;
  const isKept = (name: string) => name === "cache-status" || (isPart && name === "content-range");
  return before.headers.filter(([name]) =>
    isEdgeOwn(name) || (isKept(name) && findHeader(own, name) === undefined)
  );
}

/** Keeps the host of the original URL, because a function may change only path and query. */
function sameHost(url: string, original: string): string {
  const [changed, first] = [new URL(url), new URL(original)];
  return `${first.origin}${changed.pathname}${changed.search}`;
}

function fromRequest(request: FunctionRequest, original: PipelineRequest): PipelineRequest {
  return {
    method: request.method,
    url: sameHost(request.url, original.url),
    // `content-length` describes the body before the step, which may change the body.
    headers: endToEndHeaders(request.headers).filter(([name]) => name !== "content-length"),
    body: request.body as PipelineRequest["body"],
  };
}

export function createFunctionRunner(options: RunnerOptions): StepRunner {
  const { functions, signal } = options;
  let context: CallContext | undefined;
  let via: string | undefined;

  async function run(
    invocation: Omit<Invocation, "context" | "via">,
    given: { readonly request: PipelineRequest; readonly response?: PipelineResponse },
  ): Promise<StepResult> {
    if (functions === undefined) return { type: "failed", reason: "missing" };
    const result = await functions.invoke({
      ...invocation,
      context: context ??= options.context(),
      via: via ??= options.via(),
    });
    switch (result.type) {
      case "next":
        return result;
      case "failed":
        return {
          type: "failed",
          reason: result.reason === "not_found" ? "missing" : result.reason,
        };
      case "request":
        return { type: "request", request: fromRequest(result.request, given.request) };
      case "response": {
        const { status, headers, body } = result.response;
        const own = responseHeadersFrom(headers).filter(([name]) => name !== "content-length");
        return {
          type: "response",
          response: {
            status,
            headers: [...own, ...keptFields(own, { status, before: given.response })],
            body: body as PipelineResponse["body"],
          },
        };
      }
    }
  }

  const named = ({ use, as = use }: PlannedStep) => ({ function: use, as });

  return {
    onRequest: (step, request) =>
      run({ ...named(step), mode: "request", request, signal }, { request }),
    onResponse: (step, request, response) =>
      run(
        {
          ...named(step),
          mode: "response",
          request,
          response: toResponse(response),
          signal,
        },
        { request, response },
      ),
    // The call does not end when the client disconnects, because an observer may continue after the
    // response.
    observe(step, request, response) {
      const seen = { ...response, body: null };
      const { method, url, headers } = request;
      const bodiless = { method, url, headers, body: null };
      // A failure is written to the functions' log. Nothing here waits for the observer.
      run(
        { ...named(step), mode: "observe", request: bodiless, response: toResponse(seen) },
        { request, response },
      ).catch(() => {});
    },
    handle: (name, request) =>
      run({ function: name, as: name, mode: "handle", request, signal }, { request }),
  };
}
