/** Describes an endpoint as an operation of the document. @module */
import type * as z from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { type Access, type Endpoint, IDEMPOTENCY_HOURS } from "../endpoint.ts";
import { answersOf, MEDIA_TYPES } from "./answers.ts";
import { requestFields } from "./fields.ts";

const WHO: Readonly<Record<Access, string>> = {
  anyone: "Requires no credential.",
  account: "Requires a browser session, because it concerns the account.",
  self: "Accepts any credential, because it concerns the caller's own data.",
  viewer: "Requires the viewer role in the workspace.",
  developer: "Requires the developer role in the workspace.",
  owner: "Requires the owner role in the workspace.",
};

/**
 * Returns the security requirements of an endpoint. Account endpoints accept only browser sessions.
 * Other endpoints also accept keys and tokens.
 */
function securityOf(endpoint: Endpoint): Record<string, string[]>[] {
  if (endpoint.auth === "none") return [];
  return endpoint.access === "account" ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;

const hasBody = ({ body }: Endpoint): boolean => body.type !== "undefined";

/** Describes the requirements of an operation as full sentences. */
function describe(endpoint: Endpoint): string {
  const { idempotency, access, bodyKind, maxBodyBytes, responseKind } = endpoint;
  return [
    WHO[access],
    ...(hasBody(endpoint) && bodyKind !== "octets" && bodyKind !== "multipart"
      ? [`Accepts a body of at most ${sizeOf(maxBodyBytes)}.`]
      : []),
    ...(idempotency === "kept" || endpoint.traits.includes("idempotency-key")
      ? [`Safe to retry with the same \`Idempotency-Key\` for ${IDEMPOTENCY_HOURS} hours.`]
      : []),
    ...(idempotency === "refused" ? ["Refuses an `Idempotency-Key`."] : []),
    ...(responseKind === "events" ? ["Responds with Server-Sent Events (WHATWG HTML, 9.2)."] : []),
  ].join(" ");
}

const BINARY = { type: "string", format: "binary" } as const;

/** Bodies that are not described by a schema of the contract. */
const STREAMED = {
  octets: { schema: { ...BINARY, description: "The raw bytes" } },
  multipart: {
    schema: {
      type: "object",
      description: "One part for each blob, named by its SHA-256",
      additionalProperties: BINARY,
    },
  },
} as const;

function requestBody(endpoint: Endpoint) {
  const { body, bodyKind } = endpoint;
  if (!hasBody(endpoint)) return {};
  const media = bodyKind === "octets" || bodyKind === "multipart"
    ? { ...STREAMED[bodyKind], example: body.meta()?.example }
    : { schema: body };
  return {
    requestBody: {
      description: "Input of the operation",
      // An empty body counts as an empty object.
      required: !body.safeParse({}).success || bodyKind === "octets" || bodyKind === "multipart" ||
        body.type === "unknown",
      content: {
        [MEDIA_TYPES[bodyKind]]: media,
        ...(bodyKind === "form" ? { [MEDIA_TYPES.json]: media } : {}),
      },
    },
  };
}

/** Returns the OpenAPI operation for an endpoint. `name` is the endpoint's key in `endpoints`. */
export function operationOf(name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const query = endpoint.query as z.ZodObject;
  const given = new Set(Object.keys(query.shape));
  return {
    operationId: name,
    summary: endpoint.summary,
    description: describe(endpoint),
    tags: [endpoint.tag],
    security: securityOf(endpoint),
    "x-svc-access": endpoint.access,
    parameters: requestFields(endpoint).filter(({ name, in: where }) =>
      where !== "query" || !given.has(name)
    ),
    requestParams: { path: endpoint.params as z.ZodObject, query },
    ...requestBody(endpoint),
    responses: answersOf(endpoint),
  } as ZodOpenApiOperationObject;
}
