/** Header fields of requests and responses, as parts of the document. @module */
import type { Endpoint } from "../endpoint.ts";
import { IDEMPOTENCY_HOURS } from "../endpoint.ts";

interface HeaderNode {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: { readonly type: string };
  readonly example: unknown;
}

const text = (description: string, example: string): HeaderNode => ({
  description,
  schema: { type: "string" },
  example,
});

/** Response fields, keyed by the name of their component. */
export const ANSWER_FIELDS: Readonly<Record<string, HeaderNode>> = {
  "X-Svc-Request-Id": text("ID of the request in the platform's log", "5f2c9a7b1e-4q"),
  "RateLimit-Policy": text(
    "Rate limits that apply to the request: requests and seconds (draft-ietf-httpapi-ratelimit-headers)",
    '"api-key";q=5000;w=3600',
  ),
  RateLimit: text(
    "Remaining requests, and seconds until the limit resets",
    '"api-key";r=4999;t=3600',
  ),
  "Retry-After": {
    description: "Seconds after which the request may succeed",
    schema: { type: "integer" },
    example: 12,
  },
  ETag: text("Version of the rules, for `If-Match`", '"019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e05"'),
  "Idempotency-Replayed": text(
    "`true` if this is the response to an earlier request with the same key",
    "true",
  ),
  "Set-Cookie": text(
    "The session, if the request signs in or out",
    "svc_session=…; Path=/; HttpOnly; SameSite=Lax",
  ),
  "WWW-Authenticate": text("How to authenticate (RFC 6750)", "Bearer"),
};

/** Returns references to response fields. */
export function fieldReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

const parameter = (name: string, node: HeaderNode, required = false) => ({
  in: "header" as const,
  name,
  required,
  ...node,
});

/** Returns true if an endpoint belongs to a workspace. A session must name that workspace. */
export function isInWorkspace({ access }: Endpoint): boolean {
  return access === "viewer" || access === "developer" || access === "owner";
}

/** Returns the header fields that a request can have, and the query parameter `workspace`. */
export function requestFields(endpoint: Endpoint) {
  return [
    ...(isInWorkspace(endpoint)
      ? [
        parameter(
          "X-Workspace",
          text(
            "Slug of the workspace. Required for sessions. A key or token always uses its own workspace",
            "acme",
          ),
        ),
        {
          in: "query" as const,
          name: "workspace",
          required: false,
          ...text("Slug of the workspace, instead of `X-Workspace`", "acme"),
        },
      ]
      : []),
    ...(endpoint.traits.includes("if-match")
      ? [
        parameter(
          "If-Match",
          text(
            "`ETag` that the change is based on. Otherwise the response is 412 (RFC 9110, 13.1.1)",
            '"none"',
          ),
          true,
        ),
      ]
      : []),
    ...(endpoint.idempotency === "kept" || endpoint.traits.includes("idempotency-key")
      ? [
        parameter(
          "Idempotency-Key",
          text(
            `1 to 255 visible ASCII characters. The same request with the same key gets the same response for ${IDEMPOTENCY_HOURS} hours`,
            "0b9f0c1e-7a53-4f0e-8f3d-2f1f6f9b7f55",
          ),
        ),
      ]
      : []),
    ...(endpoint.traits.includes("resumable")
      ? [
        parameter(
          "Last-Event-ID",
          text(
            "ID of the last received event. Later events are sent first",
            "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01",
          ),
        ),
      ]
      : []),
  ];
}
