/** The OpenAPI document, generated from the endpoint table. @module */
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { apiError } from "./common.ts";
import { oauthError } from "./device.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { refusalComponents } from "./openapi/answers.ts";
import { exampleOf } from "./openapi/example.ts";
import { ANSWER_FIELDS } from "./openapi/fields.ts";
import { fillParameter, fillSchema } from "./openapi/fill_fields.ts";
import { operationOf } from "./openapi/operation.ts";
import { type Content, operationsOf } from "./openapi/operations_of.ts";
import type { Components, SchemaNode } from "./openapi/schema_node.ts";
import { TAGS } from "./openapi/tags.ts";

export { alternatives, type Components, resolve, type SchemaNode } from "./openapi/schema_node.ts";
export type { ParameterNode } from "./openapi/fill_fields.ts";
export { typeText } from "./openapi/type_text.ts";

function fillContent(content: Content | undefined, components: Components): void {
  for (const media of Object.values(content ?? {})) {
    if (media.schema === undefined) continue;
    fillSchema(media.schema, { components, isLast: true });
    media.example ??= exampleOf(media.schema, components);
  }
}

/** Creates the OpenAPI 3.1 document of the API at `serverUrl`. */
export function openApiDocument(info: { readonly version: string; readonly serverUrl: string }) {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = paths[endpoint.path] ??= {};
    path[endpoint.method.toLowerCase() as "get"] = operationOf(
      name,
      endpoint as unknown as Endpoint,
    );
  }
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: info.version,
      description:
        "The HTTP API of a hosting platform: projects, deployments, deploy hooks, notifications, and the device flow for signing in from the CLI.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: info.serverUrl, description: "This platform" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      headers: ANSWER_FIELDS as Record<string, never>,
      responses: refusalComponents({ error: apiError, oauthError }),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key or an access token",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "svc_session",
          description: "Named __Host-svc_session over https. Set the workspace with X-Workspace",
        },
      },
    },
  });
  const components = (document.components?.schemas ?? {}) as Record<string, SchemaNode>;
  for (const isLast of [false, true]) {
    for (const schema of Object.values(components)) fillSchema(schema, { components, isLast });
  }
  for (const { operation } of operationsOf(document)) {
    for (const each of operation.parameters ?? []) fillParameter(each, components);
    fillContent(operation.requestBody?.content, components);
    for (const { content } of Object.values(operation.responses)) fillContent(content, components);
  }
  return document;
}
