/** OAuth 2.0 device authorization (RFC 8628, 8414), with OAuth's field names and errors. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Device authorization";

export const DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

/** Lifetime of a device code in seconds. */
export const DEVICE_CODE_SECONDS = 300;
/** Minimum time between two polls in seconds. */
export const DEVICE_POLL_SECONDS = 5;
/** Maximum number of calls to `POST /v1/device` per minute from one IP address. */
export const DEVICE_STARTS_PER_MINUTE = 10;

const short = z.string().max(200);

const startDeviceBody = z.object({
  client_id: short.optional().meta({
    description: "Name of the client, shown on the consent page",
    example: "my-tool",
  }),
  scope: short.optional().meta({
    description: "`read` for a read-only token. Otherwise the token can do what its user can",
    example: "read",
  }),
});

const deviceAuthorization = z.object({
  device_code: z.string().meta({
    description: "Secret that the client polls with",
    example: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
  }),
  user_code: z.string().meta({ description: "Code that the user enters", example: "WDJB-MJHT" }),
  verification_uri: z.url().meta({
    description: "Page where the user enters the code",
    example: "https://svc.example.net/device",
  }),
  verification_uri_complete: z.url().meta({
    description: "The same page with the code filled in",
    example: "https://svc.example.net/device?code=WDJB-MJHT",
  }),
  expires_in: z.number().int().meta({
    description: "Seconds until the codes expire",
    example: 300,
  }),
  interval: z.number().int().meta({ description: "Minimum seconds between two polls", example: 5 }),
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
  grant_type: z.literal(DEVICE_GRANT_TYPE).meta({
    description: "Grant type from RFC 8628",
    example: "urn:ietf:params:oauth:grant-type:device_code",
  }),
  device_code: z.string("Must be given").min(1).max(200).meta({
    description: "`device_code` from the device authorization",
    example: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
  }),
  client_id: short.optional().meta({
    description: "`client_id` from the device authorization, if it had one",
    example: "my-tool",
  }),
});

const deviceToken = z.object({
  access_token: z.string().meta({
    description: "Token for `Authorization: Bearer`; shown only once",
    example: "svct_kX2v9Qm4Zr7Tb1Lw5Nc8Hd3Fg6Js0Ya",
  }),
  token_type: z.literal("Bearer").meta({ description: "Always `Bearer`", example: "Bearer" }),
  scope: z.enum(["read", "write"]).optional().describe(
    "Scope of the token. Older platforms leave it out",
  ),
  workspace_slug: z.string().meta({ description: "Slug of the workspace", example: "acme" }),
  workspace_name: z.string().meta({ description: "Name of the workspace", example: "Acme" }),
}).meta({ id: "DeviceToken" });
export type DeviceToken = z.infer<typeof deviceToken>;

export const pollDeviceToken = endpoint({
  method: "POST",
  path: "/v1/device/token",
  summary:
    "Request the token for a device authorization. A 400 response says why there is none yet",
  tag,
  auth: "none",
  body: deviceTokenBody,
  bodyKind: "form",
  idempotency: "own",
  response: deviceToken,
});

const deviceRequest = z.object({
  userCode: z.string().describe("As displayed: `WDJB-MJHT`"),
  tool: z.string().describe("Name of the client, not verified"),
  address: z.string().describe("IP address of the client"),
  country: z.string().nullable().meta({
    description: "Country as ISO 3166-1 alpha-2 code; null if unknown",
    example: "DE",
  }),
  scope: z.enum(["read", "write"]).describe("Requested access"),
  createdAt: timestamp.describe("When the request was created"),
  expiresAt: timestamp.describe("When the request expires"),
}).meta({ id: "DeviceRequest" });

const userCodeParams = z.object({
  userCode: z.string().min(1).max(64).meta({
    description: "Code that the client shows",
    example: "WDJB-MJHT",
  }),
});

export const findDevice = endpoint({
  method: "GET",
  path: "/v1/device/requests/{userCode}",
  summary: "Show the pending device authorization for a user code",
  tag,
  access: "account",
  params: userCodeParams,
  response: deviceRequest,
});

export const approveDevice = endpoint({
  method: "POST",
  path: "/v1/device/requests/{userCode}/approve",
  summary: "Approve a device authorization for one of your workspaces",
  tag,
  access: "account",
  params: userCodeParams,
  body: z.object({ workspaceId: uuid.describe("ID of the workspace") }).strict(),
  status: 204,
});

export const denyDevice = endpoint({
  method: "POST",
  path: "/v1/device/requests/{userCode}/deny",
  summary: "Deny a device authorization",
  tag,
  access: "account",
  params: userCodeParams,
  status: 204,
});

/**
 * Errors from RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2), RFC 8628 (3.5) and RFC 8693 (2.2.2), and
 * `rate_limited` for an exceeded limit.
 */
const OAUTH_ERRORS = [
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
  error: z.enum(OAUTH_ERRORS).describe("OAuth error code"),
  error_description: z.string().optional().meta({
    description: "What went wrong",
    example: "The user has not confirmed yet",
  }),
}).meta({ id: "OAuthError" });

export const getOAuthMetadata = endpoint({
  method: "GET",
  path: "/.well-known/oauth-authorization-server",
  summary: "Describe the authorization server",
  tag,
  auth: "none",
  response: z.object({
    issuer: z.url().meta({
      description: "URL of the platform",
      example: "https://svc.example.net",
    }),
    authorization_endpoint: z.url().meta({
      description: "URL of the page that asks for consent",
      example: "https://svc.example.com/oauth/authorize",
    }),
    registration_endpoint: z.url().meta({
      description: "URL for registering clients",
      example: "https://svc.example.com/oauth/register",
    }),
    device_authorization_endpoint: z.url().meta({
      description: "URL that starts a device authorization",
      example: "https://svc.example.net/v1/device",
    }),
    token_endpoint: z.url().meta({
      description: "URL that issues tokens",
      example: "https://svc.example.net/v1/device/token",
    }),
    grant_types_supported: z.array(z.string()).meta({
      description: "Supported grant types",
      example: ["urn:ietf:params:oauth:grant-type:device_code"],
    }),
    response_types_supported: z.array(z.string()).meta({
      description: "Supported response types",
      example: ["code"],
    }),
    code_challenge_methods_supported: z.array(z.string()).meta({
      description: "Supported PKCE methods",
      example: ["S256"],
    }),
    scopes_supported: z.array(z.string()).meta({
      description: "Supported scopes",
      example: ["read", "write"],
    }),
    authorization_response_iss_parameter_supported: z.boolean().describe(
      "Whether responses name the issuer",
    ),
    token_endpoint_auth_methods_supported: z.array(z.string()).meta({
      description: "`none`: all clients are public",
      example: ["none"],
    }),
    service_documentation: z.url().meta({
      description: "URL of the API documentation",
      example: "https://svc.example.net/v1/openapi.json",
    }),
  }),
});
