/**
 * @module Requests to the OAuth endpoints, which accept forms and return responses in OAuth's
 * format.
 */
import type * as z from "zod";
import { oauthError } from "../contract/device.ts";
import { ApiError, ContractError, NoAnswerError, UnreachableError } from "./errors.ts";
import { USUAL_WAITS, withLimits } from "./patience.ts";
import { parseRetryAfter } from "./retry.ts";

export interface OAuthOptions {
  /** URL of the platform. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Returns the current time in milliseconds, for comparison with `Retry-After` dates. */
  readonly now: () => number;
}

export interface Received {
  readonly status: number;
  /** URL of the platform. */
  readonly from: string;
  readonly body: unknown;
  /** Milliseconds to wait before the next attempt. */
  readonly retryAfter: number | undefined;
}

/** Sends fields as a form. @throws {UnreachableError} */
export async function postFields(
  path: string,
  fields: Readonly<Record<string, string>>,
  options: OAuthOptions,
): Promise<Received> {
  const { baseUrl, signal } = options;
  const { read, notice } = USUAL_WAITS;
  try {
    return await withLimits({ baseUrl, longest: read, noticeEvery: notice }, async (limit) => {
      const response = await options.fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: { accept: "application/json" },
        body: new URLSearchParams(fields),
        redirect: "manual",
        signal: AbortSignal.any([signal, limit]),
      });
      const body = parseJson(await response.text());
      const retryAfter = parseRetryAfter(response.headers.get("retry-after"), options.now());
      return { status: response.status, from: baseUrl, body, retryAfter };
    });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof NoAnswerError) throw cause;
    throw new UnreachableError(baseUrl, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Validates a response. @throws {ContractError} */
export function parseOAuthAnswer<T>(schema: z.ZodType<T>, body: unknown, request: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ContractError(request, { cause: parsed.error });
}

/** Returns the error for a refusal in OAuth's format (RFC 6749, 5.2). */
export function oauthFailure({ status, from, body, retryAfter }: Received): ApiError {
  const parsed = oauthError.safeParse(body);
  const reason = parsed.success ? parsed.data.error_description ?? parsed.data.error : undefined;
  return new ApiError(reason ?? `The response of ${from} is not from svc: status ${status}`, {
    status,
    ...(status === 429 ? { code: "rate_limited" as const } : {}),
    retryAfter,
  });
}
