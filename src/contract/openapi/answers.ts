/** An endpoint's responses: successes, and errors grouped by status. @module */
import type * as z from "zod";
import type { ErrorCode } from "../common.ts";
import type { BodyKind, Endpoint } from "../endpoint.ts";
import { fieldReferences, isInWorkspace } from "./fields.ts";

export const MEDIA_TYPES: Readonly<Record<BodyKind, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  octets: "application/octet-stream",
  multipart: "multipart/form-data",
  events: "text/event-stream",
};

interface Refusal {
  readonly description: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields?: readonly string[];
}

/** Every refusal of the API, by status. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    description: "The request is malformed, or a session request has no workspace",
    code: "invalid_request",
    message: "Request is not valid: body.name: Must not be empty",
  },
  401: {
    description: "Credentials are missing, unknown, revoked or expired",
    code: "unauthorized",
    message: "API key or token is unknown or was revoked",
    fields: ["WWW-Authenticate"],
  },
  403: {
    description: "The caller is not allowed to do this, or not in this workspace",
    code: "forbidden",
    message: 'API key belongs to workspace "acme", not "other"',
  },
  404: {
    description: "The resource does not exist, or the caller cannot see it",
    code: "not_found",
    message: 'Project "shop" does not exist',
  },
  409: {
    description:
      "The request conflicts with the current state. With Retry-After if it may succeed later",
    code: "conflict",
    message: 'Project "shop" already exists',
    fields: ["Retry-After"],
  },
  412: {
    description: "If-Match is missing or is not the current version",
    code: "precondition_failed",
    message: "The rules have changed",
  },
  413: {
    description: "The body is too large",
    code: "payload_too_large",
    message: "Send a body of at most 16384 bytes",
  },
  415: {
    description: "The body has an unsupported media type",
    code: "unsupported_media_type",
    message: "Send JSON with Content-Type: application/json, not text/plain",
  },
  429: {
    description: "A limit is exceeded",
    code: "rate_limited",
    message: "The API key has used all of its 5000 requests for this hour. Try again in 12 seconds",
    fields: ["Retry-After"],
  },
  500: {
    description: "The platform failed. Its log contains the reason under the request ID",
    code: "internal",
    message: "The platform failed to respond",
  },
  503: {
    description: "The platform cannot respond now",
    code: "unavailable",
    message: "The repository is still being fetched. Try again later",
    fields: ["Retry-After"],
  },
  507: {
    description: "The platform's disk is full",
    code: "storage_full",
    message: "The platform's disk is full",
  },
};

/** Refusals whose body has OAuth's format on the endpoints of the device flow (RFC 6749, 5.2). */
const OAUTH_STATUSES: readonly number[] = [400, 429];

const writes = ({ method }: Endpoint): boolean => method !== "GET";

/** Returns the error statuses of an endpoint in ascending order. */
function refusalStatuses(endpoint: Endpoint): number[] {
  const hasCredential = endpoint.auth === "bearer";
  const hasJson = endpoint.bodyKind === "json" && endpoint.body.type !== "undefined";
  const isForm = endpoint.bodyKind === "form";
  const statuses = [
    400,
    ...(hasCredential ? [401, 403, 429] : []),
    ...(isInWorkspace(endpoint) || endpoint.path.includes("{") ? [404] : []),
    ...(writes(endpoint) && !isForm ? [403, 409, 413, 429, 507] : []),
    ...(hasJson || endpoint.bodyKind === "multipart" ? [415] : []),
    ...(endpoint.traits.includes("if-match") ? [412] : []),
    ...(endpoint.traits.includes("limited") ? [429] : []),
    ...endpoint.refusals,
    500,
    503,
  ];
  return [...new Set(statuses)].sort((one, other) => one - other);
}

/** Whether requests to an endpoint are rate-limited, in which case responses show the limit. */
function isCounted({ auth, access, traits }: Endpoint): boolean {
  return (auth === "bearer" && access !== "account") || traits.includes("limited");
}

function successFields(endpoint: Endpoint): string[] {
  return [
    "X-Svc-Request-Id",
    ...(isCounted(endpoint) ? ["RateLimit-Policy", "RateLimit"] : []),
    ...(endpoint.idempotency === "kept" ? ["Idempotency-Replayed"] : []),
    ...(endpoint.traits.includes("etag") ? ["ETag"] : []),
    ...(endpoint.traits.includes("sets-cookie") ? ["Set-Cookie"] : []),
  ];
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: "Success",
  201: "Created",
  202: "Accepted. A link in an email completes it",
  204: "Success, without a body",
};

function success(endpoint: Endpoint, status: number, response: z.ZodType) {
  const content = response.type === "undefined"
    ? {}
    : { content: { [MEDIA_TYPES[endpoint.responseKind]]: { schema: response } } };
  return {
    description: DESCRIPTIONS[status] ?? "Success",
    headers: fieldReferences(successFields(endpoint)),
    ...content,
  };
}

/** Returns all responses of an endpoint, by status. */
export function answersOf(endpoint: Endpoint) {
  const successes = { [endpoint.status]: endpoint.response, ...endpoint.otherAnswers };
  const isOAuth = endpoint.bodyKind === "form";
  return {
    ...Object.fromEntries(
      Object.entries(successes).map(([status, response]) => [
        status,
        success(endpoint, Number(status), response),
      ]),
    ),
    ...Object.fromEntries(
      refusalStatuses(endpoint).map((status) => {
        const name = isOAuth && OAUTH_STATUSES.includes(status) ? `OAuth${status}` : `E${status}`;
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
    ),
  };
}

/** Returns the error responses as components that operations reference. */
export function refusalComponents(schemas: {
  readonly error: z.ZodType;
  readonly oauthError: z.ZodType;
}) {
  const always = ["X-Svc-Request-Id"];
  const limits = ["RateLimit-Policy", "RateLimit"];
  const named = Object.entries(REFUSALS).map((
    [status, { description, code, message, fields = [] }],
  ) => [`E${status}`, {
    description,
    headers: fieldReferences([...always, ...limits, ...fields]),
    content: {
      "application/json": {
        schema: schemas.error,
        example: { error: message, code, requestId: "5f2c9a7b1e-4q" },
      },
    },
  }]);
  const oauth = OAUTH_STATUSES.map((status) => [`OAuth${status}`, {
    description: status === 429
      ? "Too many sign-ins were started"
      : "No token, or none yet. The code says why (RFC 6749, 5.2; RFC 8628, 3.5)",
    headers: fieldReferences([...always, ...limits, ...(status === 429 ? ["Retry-After"] : [])]),
    content: {
      "application/json": {
        schema: schemas.oauthError,
        example: status === 429
          ? { error: "rate_limited", error_description: "Too many sign-ins" }
          : {
            error: "authorization_pending",
            error_description: "The user has not confirmed yet",
          },
      },
    },
  }]);
  return Object.fromEntries([...named, ...oauth]);
}
