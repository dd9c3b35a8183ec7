/**
 * Sends one POST request to a URL that a user chose. Refuses to connect to forbidden addresses.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import { type HeaderList, OutboundError, type OutboundFetch } from "../../../runtime/mod.ts";
import type { SendOutcome } from "../delivery/channel.ts";

/** Time limit for the whole exchange, in milliseconds. */
export const POST_MS = 10_000;

/**
 * Time limit for reading an excerpt of a response's body, in milliseconds. The excerpt has no
 * effect on the result.
 */
const EXCERPT_MS = 1000;

export interface PostAnswer {
  readonly status: number;
  /** The start of the response's body; empty if not requested. */
  readonly excerpt: Uint8Array;
  readonly retryAfterMs: number | undefined;
}

/** Codes of errors that a retry does not fix. */
const FINAL: ReadonlySet<string> = new Set(["bad_request", "refused_address", "refused_port"]);

/** Reads `Retry-After` (RFC 9110, 10.2.3). Returns milliseconds from now. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Reads the start of a body within the time limit, and cancels the rest. */
async function readExcerpt(
  body: ReadableStream<Uint8Array> | null | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  if (body === null || body === undefined) return new Uint8Array();
  const reader = body.getReader();
  const bytes: number[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), EXCERPT_MS);
  });
  try {
    while (bytes.length < maxBytes) {
      const chunk = await Promise.race([reader.read(), late]);
      if (chunk?.value === undefined) break;
      bytes.push(...chunk.value.subarray(0, maxBytes - bytes.length));
    }
  } catch {
    // The status determines the outcome of the delivery, regardless of the body.
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
  return Uint8Array.from(bytes);
}

/**
 * Posts bytes, and reads the headers and first bytes of the response. Does not follow redirects.
 */
export async function postOut(outbound: OutboundFetch, request: {
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly now: Clock;
  /** Number of bytes to read from the response's body; if missing, no bytes are read. */
  readonly excerptBytes?: number;
  readonly signal?: AbortSignal;
}): Promise<PostAnswer> {
  const { url, headers, body, now, excerptBytes = 0, signal } = request;
  const timeout = new AbortController();
  const abort = () => timeout.abort();
  const timer = setTimeout(abort, POST_MS);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    const answer = await outbound({
      method: "POST",
      url,
      headers: [...headers, ["content-length", `${body.byteLength}`], ["user-agent", "svc"]],
      body: new Blob([body]).stream(),
      signal: timeout.signal,
    });
    const excerpt = await readExcerpt(answer.body, excerptBytes);
    const asked = answer.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
    return { status: answer.status, excerpt, retryAfterMs: readRetryAfter(asked, now()) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Returns the outcome of a failed POST. @throws errors other than `OutboundError` */
export function judgePostError(error: unknown): SendOutcome {
  if (!(error instanceof OutboundError)) throw error;
  if (FINAL.has(error.code)) return { type: "failed", reason: error.message };
  const reason = error.code === "aborted"
    ? `No response within ${POST_MS / 1000} seconds`
    : error.message;
  return { type: "retry", reason, hostTrouble: true };
}

/** Returns the outcome for an error status without a special meaning. */
export function judgeStatus(
  { status, retryAfterMs }: Pick<PostAnswer, "status" | "retryAfterMs">,
): SendOutcome {
  const isBusy = status === 429 || status === 503;
  return {
    type: "retry",
    reason: `The receiver responded with status ${status}`,
    hostTrouble: status >= 502 && status <= 504,
    ...(isBusy && retryAfterMs !== undefined ? { retryAfterMs } : {}),
  };
}
