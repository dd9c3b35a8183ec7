/**
 * @module Classifies a step's return value: continue, a request, a response, or an invalid result.
 * Requests and responses are recognized by the runtime's own getters, so that look-alikes are
 * rejected.
 */
import type { ResultHead, StepMode, WireBody } from "../wire.ts";

function getter<T, V>(prototype: T, key: string): (subject: unknown) => V {
  const { get } = Object.getOwnPropertyDescriptor(prototype, key)!;
  return (subject) => Reflect.apply(get!, subject, []);
}

const responseStatus = getter<Response, number>(Response.prototype, "status");
const responseText = getter<Response, string>(Response.prototype, "statusText");
const responseHeaders = getter<Response, Headers>(Response.prototype, "headers");
const responseBody = getter<Response, Response["body"]>(Response.prototype, "body");
const responseUsed = getter<Response, boolean>(Response.prototype, "bodyUsed");
const requestMethod = getter<Request, string>(Request.prototype, "method");
const requestUrl = getter<Request, string>(Request.prototype, "url");
const requestHeaders = getter<Request, Headers>(Request.prototype, "headers");
const requestBody = getter<Request, Request["body"]>(Request.prototype, "body");
const requestUsed = getter<Request, boolean>(Request.prototype, "bodyUsed");

function has(read: (value: unknown) => unknown, value: unknown): boolean {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
}

/** The body passed to the step. */
export interface GivenBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Returns true once part of the body has been read, so the platform no longer has all of it. */
  started(): boolean;
}

export interface Classified {
  readonly head: ResultHead;
  readonly body?: ReadableStream<Uint8Array>;
}

export interface StepFacts {
  readonly mode: StepMode;
  readonly request: Request;
  readonly response?: Response;
  /**
   * The body that the step may leave unchanged: the request's body or, in a response step, the
   * response's body.
   */
  readonly given?: GivenBody;
}

const invalid = (message: string): Classified => ({
  head: { type: "failed", reason: "invalid_result", error: { message } },
});

function splitBody(
  body: ReadableStream<Uint8Array> | null,
  facts: StepFacts,
): { readonly body: WireBody; readonly stream?: ReadableStream<Uint8Array> } {
  if (body === null) return { body: "none" };
  const { given } = facts;
  if (given !== undefined && body === given.stream && !given.started()) return { body: "kept" };
  return { body: "stream", stream: body };
}

function asResponse(value: unknown, facts: StepFacts): Classified {
  if (responseUsed(value)) {
    return invalid("The body of the returned Response has already been used");
  }
  const { body, stream } = splitBody(responseBody(value), facts);
  const head: ResultHead = {
    type: "response",
    status: responseStatus(value),
    statusText: responseText(value),
    headers: [...responseHeaders(value)],
    body,
  };
  if (head.status < 200) {
    return invalid(`A Response must have a status from 200 to 599, not ${head.status}`);
  }
  return stream === undefined ? { head } : { head, body: stream };
}

function asRequest(value: unknown, facts: StepFacts): Classified {
  if (requestUsed(value)) return invalid("The body of the returned Request has already been used");
  const { body, stream } = splitBody(requestBody(value), facts);
  const head: ResultHead = {
    type: "request",
    method: requestMethod(value),
    url: requestUrl(value),
    headers: [...requestHeaders(value)],
    body,
  };
  return stream === undefined ? { head } : { head, body: stream };
}

/**
 * Returns the result of a step that returned nothing: its input continues unless the step has read
 * the body.
 */
function unchanged(facts: StepFacts): Classified {
  if (facts.mode === "observe" || facts.given?.started() !== true) {
    return { head: { type: "next" } };
  }
  const subject = facts.mode === "response" ? facts.response : facts.request;
  const used = facts.mode === "response" ? responseUsed(subject) : requestUsed(subject);
  if (used) {
    const [what, wanted] = facts.mode === "response"
      ? ["response", "Response"]
      : ["request", "Request or Response"];
    return invalid(
      `The step read the body of the ${what} and returned nothing. ` +
        `Read a clone() of it instead, or return a new ${wanted}`,
    );
  }
  return facts.mode === "response" ? asResponse(subject, facts) : asRequest(subject, facts);
}

/** Checks what a step returned. */
export function classifyResult(value: unknown, facts: StepFacts): Classified {
  const { mode } = facts;
  if (mode === "observe") return { head: { type: "next" } };
  if ((value === undefined || value === null) && mode !== "handle") return unchanged(facts);
  if (has(responseStatus, value)) return asResponse(value, facts);
  if (mode === "request" && has(requestMethod, value)) return asRequest(value, facts);
  const wanted = {
    request: "a Response, a Request or nothing",
    response: "a Response or nothing",
    handle: "a Response",
  }[mode];
  const kind = value === null ? "null" : typeof value;
  return invalid(
    `A ${mode === "handle" ? "handle" : `${mode} step`} returns ${wanted}, not ${kind}`,
  );
}
