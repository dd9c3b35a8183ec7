/**
 * The OAuth 2.0 device authorization grant (RFC 8628) and its metadata (RFC
 * 8414). Fields are in snake case, and errors have OAuth's shape.
 *
 * @module
 */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Device authorization";

export const DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

/** Seconds that a device code lives (spec: "Limits"). */
export const DEVICE_CODE_SECONDS = 300;
/** Seconds between two polls, at least (spec: "Limits"). */
export const DEVICE_POLL_SECONDS = 5;
/** Calls of `POST /v1/device` in a minute from one address (spec: "Limits"). */
export const DEVICE_STARTS_PER_MINUTE = 10;

const short = z.string().max(200);

const startDeviceBody = z.object({
  client_id: short.optional().describe("Name of the tool, which the person sees who confirms"),
  scope: short.optional().describe(
    "`read`: the token can look and change nothing; anything else: it can do what its user can",
  ),
});

export const deviceAuthorization = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.url(),
  verification_uri_complete: z.url(),
  expires_in: z.number().int(),
  interval: z.number().int(),
}).meta({ id: "DeviceAuthorization" });
export type DeviceAuthorization = z.infer<typeof deviceAuthorization>;

export const startDevice = endpoint({
  method: "POST",
  path: "/v1/device",
  traits: ["limited"],
  summary: "Start a device authorization",
  tag,
  auth: "none",
  body: startDeviceBody,
  bodyKind: "form",
  idempotency: "own",
  response: deviceAuthorization,
});

const deviceTokenBody = z.object({
  grant_type: z.literal(DEVICE_GRANT_TYPE),
  device_code: z.string("Must be given").min(1).max(200),
  client_id: short.optional().describe(
    "Has to be the one that the authorization was begun with, where that had one",
  ),
});

export const deviceToken = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  scope: z.enum(["read", "write"]).optional().describe(
    "What the token can do; platforms of older versions leave it out",
  ),
  workspace_slug: z.string(),
  workspace_name: z.string(),
}).meta({ id: "DeviceToken" });
export type DeviceToken = z.infer<typeof deviceToken>;

export const pollDeviceToken = endpoint({
  method: "POST",
  path: "/v1/device/token",
  summary: "Ask for the token of a device authorization; 400 says why there is none yet",
  tag,
  auth: "none",
  body: deviceTokenBody,
  bodyKind: "form",
  idempotency: "own",
  response: deviceToken,
});

export const deviceRequest = z.object({
  userCode: z.string().describe("As it is shown: `WDJB-MJHT`"),
  tool: z.string().describe("What the tool calls itself: its own word"),
  address: z.string().describe("Where the tool asked from"),
  country: z.string().nullable(),
  scope: z.enum(["read", "write"]).describe("What the tool asks for"),
  createdAt: timestamp,
  expiresAt: timestamp,
}).meta({ id: "DeviceRequest" });

const userCodeParams = z.object({ userCode: z.string().min(1).max(64) });

export const findDevice = endpoint({
  method: "GET",
  path: "/v1/device/requests/{userCode}",
  summary: "Show the tool that waits under a user code",
  tag,
  access: "account",
  params: userCodeParams,
  response: deviceRequest,
});

export const approveDevice = endpoint({
  method: "POST",
  path: "/v1/device/requests/{userCode}/approve",
  summary: "Give the tool a token for one of the person's workspaces",
  tag,
  access: "account",
  params: userCodeParams,
  body: z.object({ workspaceId: uuid }).strict(),
  status: 204,
});

export const denyDevice = endpoint({
  method: "POST",
  path: "/v1/device/requests/{userCode}/deny",
  summary: "Refuse the tool",
  tag,
  access: "account",
  params: userCodeParams,
  status: 204,
});

/** RFC 6749 (5.2), RFC 8628 (3.5), and `rate_limited` for an exceeded limit. */
export const OAUTH_ERRORS = [
  "invalid_request",
  "invalid_grant",
  "invalid_target",
  "unsupported_grant_type",
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "invalid_client_metadata",
  "temporarily_unavailable",
  "rate_limited",
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

export const oauthError = z.object({
  error: z.enum(OAUTH_ERRORS),
  error_description: z.string().optional(),
}).meta({ id: "OAuthError" });

export const getOAuthMetadata = endpoint({
  method: "GET",
  path: "/.well-known/oauth-authorization-server",
  summary: "Describe the authorization server",
  tag,
  auth: "none",
  response: z.object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    registration_endpoint: z.url(),
    device_authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    service_documentation: z.url(),
  }),
});
