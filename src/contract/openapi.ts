/**
 * The OpenAPI document, made from the endpoint table.
 *
 * @module
 */
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { apiError } from "./common.ts";
import type { BodyKind, Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import type { z } from "zod";

const MEDIA_TYPES: Readonly<Record<BodyKind, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  octets: "application/octet-stream",
  multipart: "multipart/form-data",
  events: "text/event-stream",
};

/** A person's account is managed from a browser; the rest takes keys and tokens too. */
function securityOf(endpoint: Endpoint): Record<string, string[]>[] {
  if (endpoint.auth === "none") return [];
  return endpoint.access === "account" ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}

function operation(name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const requestBody = endpoint.body.type === "undefined"
    ? {}
    : { requestBody: { content: { [MEDIA_TYPES[endpoint.bodyKind]]: { schema: endpoint.body } } } };
  const content = endpoint.response.type === "undefined"
    ? {}
    : { content: { [MEDIA_TYPES[endpoint.responseKind]]: { schema: endpoint.response } } };
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    security: securityOf(endpoint),
    "x-svc-access": endpoint.access,
    requestParams: {
      path: endpoint.params as z.ZodObject,
      query: endpoint.query as z.ZodObject,
    },
    ...requestBody,
    responses: {
      [String(endpoint.status)]: { description: "Success", ...content },
      default: {
        description: "Failure",
        content: { "application/json": { schema: apiError } },
      },
    },
  };
}

/** Makes the OpenAPI 3.1 document of the API that is served at `serverUrl`. */
export function openApiDocument(info: { readonly version: string; readonly serverUrl: string }) {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = paths[endpoint.path] ??= {};
    path[endpoint.method.toLowerCase() as "get"] = operation(name, endpoint as unknown as Endpoint);
  }
  return createDocument({
    openapi: "3.1.0",
    info: { title: "svc", version: info.version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: info.serverUrl }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "svc_session",
          description: "Named __Host-svc_session over https. Name the workspace by X-Workspace",
        },
      },
    },
  });
}
