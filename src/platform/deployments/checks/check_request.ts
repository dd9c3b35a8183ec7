/**
 * Runs one request from a release's checks, and judges whether the response is as expected.
 *
 * @module
 */
import type { CheckResult } from "../../../contract/release_checks.ts";
import type { Clock } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/error_message.ts";
import type { CheckRequest } from "../../../lib/release_checks.ts";

/** Maximum number of bytes of a body to search for the expected text. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Pause before a request is retried, in milliseconds. */
const PAUSE_MS = 500;
const MAX_QUOTED = 200;

/** Sends a request to the edge. The signal aborts it. */
export type AskEdge = (request: Request) => Promise<Response>;

export interface CheckPlace {
  /** The deployment's own URL, without a path. */
  readonly url: string;
  /** The token that admits a request to a protected host. It is sent as `x-svc-bypass`. */
  readonly bypass: string;
}

const quoted = (text: string): string =>
  `"${text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`.toWellFormed()}"`;

async function readBeginning(body: Response["body"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body ?? []) {
    const rest = chunk.subarray(0, MAX_BODY_BYTES - size);
    size += rest.byteLength;
    text += decoder.decode(rest, { stream: true });
    if (size >= MAX_BODY_BYTES) break;
  }
  return text + decoder.decode();
}

function* headerProblems(
  { expect }: CheckRequest,
  headers: Headers,
): Generator<string> {
  for (const [name, wanted] of Object.entries(expect.headers ?? {})) {
    const seen = headers.get(name);
    if (seen === wanted) continue;
    yield `Expected ${name}: ${quoted(wanted)}, received ${seen === null ? "none" : quoted(seen)}`;
  }
  for (const name of expect.removedHeaders ?? []) {
    const seen = headers.get(name);
    if (seen !== null) yield `Expected no ${name}, received ${quoted(seen)}`;
  }
}

/** Returns why a response does not pass; empty if it passes. */
export async function judgeResponse(check: CheckRequest, response: Response): Promise<string[]> {
  const { expect } = check;
  const { status, headers } = response;
  const problems: string[] = [];
  const isExpected = expect.status === undefined
    ? status >= 200 && status < 400
    : status === expect.status;
  if (!isExpected) {
    problems.push(`Expected status ${expect.status ?? "200 to 399"}, received ${status}`);
  }
  const location = headers.get("location");
  if (expect.location !== undefined && location !== expect.location) {
    const seen = location === null ? "none" : quoted(location);
    problems.push(`Expected location ${quoted(expect.location)}, received ${seen}`);
  }
  problems.push(...headerProblems(check, headers));
  if (expect.body === undefined) await response.body?.cancel();
  else if (!(await readBeginning(response.body)).includes(expect.body)) {
    problems.push(`Expected ${quoted(expect.body)} in the body`);
  }
  return problems;
}

async function attempt(
  check: CheckRequest,
  { place, ask, timeoutMs, signal }: {
    readonly place: CheckPlace;
    readonly ask: AskEdge;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<string[]> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = AbortSignal.any([timeout.signal, signal]);
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(either.reason);
  if (either.aborted) end();
  either.addEventListener("abort", end, { once: true });
  try {
    const request = new Request(`${place.url}${check.url}`, {
      method: check.method ?? "GET",
      headers: {
        "accept": "*/*",
        "user-agent": "svc-check",
        ...check.headers,
        "x-svc-bypass": place.bypass,
      },
      redirect: "manual",
      signal: either,
    });
    const judged = ask(request).then((response) => judgeResponse(check, response));
    return await Promise.race([judged, ended.promise]);
  } catch (error) {
    if (timeout.signal.aborted) return [`No response within ${timeoutMs / 1000} seconds`];
    if (signal.aborted) return ["The time limit for all checks was reached"];
    return [`The request failed: ${messageOf(error)}`];
  } finally {
    clearTimeout(timer);
    either.removeEventListener("abort", end);
  }
}

/** Sends a request until its response passes or all attempts are used up. */
export async function runCheckRequest(
  check: CheckRequest,
  options: {
    readonly place: CheckPlace;
    readonly ask: AskEdge;
    readonly timeoutMs: number;
    readonly retries: number;
    /** Aborted when the time limit for all checks is reached. */
    readonly signal: AbortSignal;
    readonly now: Clock;
    /** Waits between two attempts. */
    pause(ms: number): Promise<void>;
  },
): Promise<CheckResult> {
  const { retries, signal, now, pause } = options;
  const startedAt = now();
  let attempts = 0;
  let problems: string[] = [];
  do {
    if (attempts > 0) await pause(PAUSE_MS);
    attempts++;
    problems = await attempt(check, options);
  } while (problems.length > 0 && attempts <= retries && !signal.aborted);
  return {
    kind: "request",
    name: check.name,
    passed: problems.length === 0,
    attempts,
    durationMs: Math.max(0, now() - startedAt),
    problem: problems.length === 0 ? null : problems.join(". "),
  };
}
