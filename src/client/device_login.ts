/** @module The client side of the device authorization grant (RFC 8628). */
import {
  DEVICE_GRANT_TYPE,
  type DeviceAuthorization,
  type DeviceToken,
  oauthError,
  type OAuthErrorCode,
  pollDeviceToken,
  startDevice,
} from "../contract/device.ts";
import { UnreachableError } from "./errors.ts";
import {
  oauthFailure,
  type OAuthOptions,
  parseOAuthAnswer,
  postFields,
  type Received,
} from "./oauth_request.ts";

type DeviceLoginOptions = OAuthOptions;

export type PollAnswer =
  | { readonly type: "token"; readonly token: DeviceToken }
  | { readonly type: "pending" }
  | { readonly type: "slow_down" }
  /** The platform will not issue a token. */
  | { readonly type: "refused"; readonly code: OAuthErrorCode; readonly message: string }
  /** No usable response. Another attempt after `wait` milliseconds may succeed. */
  | { readonly type: "trouble"; readonly error: Error; readonly wait: number };

export interface DeviceLogin {
  readonly authorization: DeviceAuthorization;
  /** Requests the token a single time, without waiting. */
  poll(): Promise<PollAnswer>;
}

function readPoll(received: Received): PollAnswer {
  const { status, body, retryAfter } = received;
  const { path, response } = pollDeviceToken;
  if (status === 200) {
    return { type: "token", token: parseOAuthAnswer(response, body, `POST ${path}`) };
  }
  const parsed = oauthError.safeParse(body);
  const code = parsed.success ? parsed.data.error : undefined;
  if (code === "authorization_pending") return { type: "pending" };
  if (code === "slow_down") return { type: "slow_down" };
  if (status === 400 && parsed.success) {
    const { error, error_description: message = error } = parsed.data;
    return { type: "refused", code: error, message };
  }
  if (status !== 429 && status < 500) throw oauthFailure(received);
  return { type: "trouble", error: oauthFailure(received), wait: retryAfter ?? 0 };
}

/**
 * Starts a device authorization for a client called `name`.
 *
 * @throws {ApiError} `rate_limited` after too many attempts, or {UnreachableError} if the platform
 *   does not respond.
 */
export async function startDeviceLogin(
  name: string,
  options: DeviceLoginOptions,
): Promise<DeviceLogin> {
  const { path, response } = startDevice;
  const started = await postFields(path, { client_id: name }, options);
  if (started.status !== 200) throw oauthFailure(started);
  const authorization = parseOAuthAnswer(response, started.body, `POST ${path}`);
  const fields = {
    grant_type: DEVICE_GRANT_TYPE,
    device_code: authorization.device_code,
    client_id: name,
  };
  return {
    authorization,
    async poll() {
      try {
        return readPoll(await postFields(pollDeviceToken.path, fields, options));
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        return { type: "trouble", error, wait: 0 };
      }
    },
  };
}
