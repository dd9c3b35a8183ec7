/**
 * The tool's side of the device authorization grant (RFC 8628): one request
 * each, sent as a form and answered in OAuth's shape.
 *
 * @module
 */
import type { z } from "zod";
import {
  DEVICE_GRANT_TYPE,
  type DeviceAuthorization,
  type DeviceToken,
  endpoints,
  oauthError,
  type OAuthErrorCode,
} from "../contract/mod.ts";
import { ApiError, ContractError, UnreachableError } from "./errors.ts";
import { parseRetryAfter } from "./retry.ts";

export interface DeviceLoginOptions {
  /** Address of the platform. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Clock that a `Retry-After` date is measured by, in milliseconds. */
  readonly now: () => number;
}

/** The answer to a poll. */
export type PollAnswer =
  | { readonly type: "token"; readonly token: DeviceToken }
  | { readonly type: "pending" }
  | { readonly type: "slow_down" }
  /** There will be no token. */
  | { readonly type: "refused"; readonly code: OAuthErrorCode; readonly message: string }
  /** No usable answer; another attempt may succeed after `wait` milliseconds. */
  | { readonly type: "trouble"; readonly error: Error; readonly wait: number };

/** A device authorization that was begun. */
export interface DeviceLogin {
  readonly authorization: DeviceAuthorization;
  /** Asks once for the token. */
  poll(): Promise<PollAnswer>;
}

interface Received {
  readonly status: number;
  readonly body: unknown;
  /** Milliseconds. */
  readonly retryAfter: number | undefined;
}

async function post(
  path: string,
  fields: Readonly<Record<string, string>>,
  options: DeviceLoginOptions,
): Promise<Received> {
  const { baseUrl, signal } = options;
  try {
    const response = await options.fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(fields),
      redirect: "manual",
      signal,
    });
    const text = await response.text();
    const retryAfter = parseRetryAfter(response.headers.get("retry-after"), options.now());
    return { status: response.status, body: parseJson(text), retryAfter };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
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

function parseAnswer<T>(schema: z.ZodType<T>, body: unknown, request: string): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ContractError(request, { cause: parsed.error });
}

function failureOf({ status, body, retryAfter }: Received): ApiError {
  const parsed = oauthError.safeParse(body);
  const reason = parsed.success ? parsed.data.error_description ?? parsed.data.error : undefined;
  return new ApiError(reason ?? `The platform answered with status ${status}`, {
    status,
    ...(status === 429 ? { code: "rate_limited" as const } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function readPoll(received: Received): PollAnswer {
  const { status, body, retryAfter } = received;
  const { path, response } = endpoints.pollDeviceToken;
  if (status === 200) return { type: "token", token: parseAnswer(response, body, `POST ${path}`) };
  const parsed = oauthError.safeParse(body);
  const code = parsed.success ? parsed.data.error : undefined;
  if (code === "authorization_pending") return { type: "pending" };
  if (code === "slow_down") return { type: "slow_down" };
  if (status === 400 && parsed.success) {
    const { error, error_description: message = error } = parsed.data;
    return { type: "refused", code: error, message };
  }
  if (status !== 429 && status < 500) throw failureOf(received);
  return { type: "trouble", error: failureOf(received), wait: retryAfter ?? 0 };
}

/**
 * Begins a device authorization for a tool that calls itself `name`.
 *
 * @throws {ApiError} `rate_limited` after too many, and `UnreachableError`.
 */
export async function startDeviceLogin(
  name: string,
  options: DeviceLoginOptions,
): Promise<DeviceLogin> {
  const { path, response } = endpoints.startDevice;
  const started = await post(path, { client_id: name }, options);
  if (started.status !== 200) throw failureOf(started);
  const authorization = parseAnswer(response, started.body, `POST ${path}`);
  const fields = {
    grant_type: DEVICE_GRANT_TYPE,
    device_code: authorization.device_code,
    client_id: name,
  };
  return {
    authorization,
    async poll() {
      try {
        return readPoll(await post(endpoints.pollDeviceToken.path, fields, options));
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        return { type: "trouble", error, wait: 0 };
      }
    },
  };
}
