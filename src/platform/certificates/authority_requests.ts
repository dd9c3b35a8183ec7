/**
 * Requests to a certificate authority. Each request has a timeout, is retried once, and rejects
 * with the authority's problem document (RFC 8555, 6.7). acme-client's own handling sleeps for the
 * time in `Retry-After`, which would delay all other orders for hours.
 *
 * @module
 */
import type { axios } from "acme-client";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";

/** Timeout for one request to the authority, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/**
 * Pause before the only retry of a request, after a network error or a 5xx status, in milliseconds.
 */
const PAUSE_MS = 1000;

const URN = "urn:ietf:params:acme:error:";
/** acme-client sends the request again with the nonce from this response. */
const BAD_NONCE = `${URN}badNonce`;

const problemSchema = z.object({ type: z.string().default(""), detail: z.string().default("") })
  .catch({ type: "", detail: "" });

/** The authority rejected a request. */
export class AuthorityError extends Error {
  override readonly name = "AuthorityError";
  /** The kind of problem, such as `rateLimited` (RFC 8555, 6.7). */
  readonly type: string;

  constructor(
    problem: { readonly type: string; readonly detail: string; readonly status: number },
    /**
     * How long to wait before trying again, in seconds; 0 if the authority has not specified a
     * time.
     */
    readonly retryAfter: number,
  ) {
    super(problem.detail || `The certificate authority responded with ${problem.status}`);
    this.type = problem.type.replace(URN, "");
  }
}

/** Returns the delay from a `Retry-After` header, in seconds; 0 if there is none. */
export const secondsIn = (retryAfter: unknown): number => Number(retryAfter) || 0;

interface Exchange {
  readonly config?: { isRetry?: boolean };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly data: unknown;
  };
}

/** Sets up acme-client's HTTP client for the authority at the given URL. */
export function prepareRequests(
  http: typeof axios,
  { directoryUrl, serverCa }: {
    readonly directoryUrl: string;
    readonly serverCa?: string | undefined;
  },
): void {
  http.defaults.timeout = REQUEST_TIMEOUT_MS;
  http.defaults.maxContentLength = MAX_ANSWER_BYTES;
  // Deno 2.7's node:http never reports a truncated response.
  http.defaults.adapter = "fetch";
  if (serverCa !== undefined) {
    const client = Deno.createHttpClient({ caCerts: [serverCa] });
    Object.assign(http.defaults, { fetchOptions: { client } });
  }
  http.interceptors.response.clear();
  // acme-client passes every response here as an error.
  http.interceptors.response.use(undefined, async (exchange: Exchange) => {
    const { config, response } = exchange;
    if (config === undefined) throw exchange;
    if (config.isRetry !== true && (response === undefined || response.status >= 500)) {
      await delay(PAUSE_MS);
      return await http.request({ ...config, isRetry: true } as object);
    }
    if (response === undefined) {
      const message = `The certificate authority at ${directoryUrl} did not respond`;
      throw new Error(message, { cause: exchange });
    }
    const { status, headers, data } = response;
    const problem = problemSchema.parse(data);
    if (status < 400 || problem.type === BAD_NONCE) return response;
    throw new AuthorityError({ ...problem, status }, secondsIn(headers["retry-after"]));
  });
}
