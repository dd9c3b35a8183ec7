/**
 * Drains: endpoints that receive a project's logs, errors and metrics over OTLP/HTTP. @module
 */
import * as z from "zod";
import { missingNodes, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const tag = "Drains";

/** Maximum number of drains per project. */
export const MAX_DRAINS = 5;
const MAX_HEADERS = 10;

/** The name of a header (RFC 9110, 5.1). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
/** Printable ASCII, which every HTTP client can send. */
const HEADER_VALUE = /^[\x20-\x7e]{1,4096}$/;
/** Header fields that a drain must not set, because they belong to the request itself. */
const OWN_FIELDS =
  /^(?:content-.*|host|connection|transfer-encoding|te|upgrade|expect|user-agent)$/i;

const url = z.url({ protocol: /^https?$/, error: "Must be an http or https URL" }).max(1000)
  .refine((text) => {
    const parsed = URL.parse(text);
    return parsed === null || (parsed.username === "" && parsed.password === "");
  }, "Must have no credentials: send them in a header");

/** Headers of a drain, by name. */
const drainHeaders = z.record(
  z.string().regex(HEADER_NAME, "Must be a header name").refine(
    (name) => !OWN_FIELDS.test(name),
    "Must not be a field that describes the request",
  ),
  z.string().regex(HEADER_VALUE, "Must be 1 to 4096 printable ASCII characters"),
).refine(
  (headers) => Object.keys(headers).length <= MAX_HEADERS,
  `Must have at most ${MAX_HEADERS} headers`,
);

const count = z.int().nonnegative().meta({ example: 0 });

/** State of the deliveries, across all nodes. */
const drainHealth = z.object({
  sent: count.describe("Log records that the endpoint accepted since the platform started"),
  dropped: count.describe(
    "Log records that were dropped or rejected since the platform started",
  ),
  waiting: count.describe("Log records waiting to be sent"),
  lastSuccessAt: timestamp.nullable().describe("Last accepted request; null if there is none"),
  lastErrorAt: timestamp.nullable().describe("Last failed request; null if there is none"),
  lastError: z.string().nullable().meta({
    description: "Why the last failed request failed; null if none has",
    example: "The endpoint responded with status 401",
  }),
});
export type DrainHealth = z.infer<typeof drainHealth>;

export const drain = z.object({
  id: uuid.describe("ID of the drain"),
  url: z.string().meta({
    description: "Base URL of the endpoint; `/v1/logs` and `/v1/metrics` are added",
    example: "https://otlp.example.com",
  }),
  headerNames: z.array(z.string()).describe("Names of the headers that are sent; values are secret")
    .meta({ example: ["authorization"] }),
  createdAt: timestamp.describe("When the drain was added"),
  health: drainHealth.describe("Health of the drain across all nodes"),
}).meta({ id: "Drain" });
export type Drain = z.infer<typeof drain>;

const path = "/v1/projects/{project}/drains";
const one = projectParams.extend({ drain: uuid.describe("ID of the drain") });

export const listDrains = endpoint({
  method: "GET",
  path,
  summary: "List a project's drains and their health",
  tag,
  access: "developer",
  params: projectParams,
  response: z.object({
    items: z.array(drain).describe("Drains, oldest first"),
    missingNodes,
  }),
});

export const listPlatformDrains = endpoint({
  method: "GET",
  path: "/v1/drains",
  summary: "List the endpoints set with svc serve --otlp, which get the records of all projects",
  tag,
  access: "owner",
  response: z.object({
    items: z.array(drain.omit({ id: true, createdAt: true })).describe("In the order of the flags"),
    missingNodes,
  }),
});

export const createDrain = endpoint({
  method: "POST",
  path,
  summary: "Add a drain: send a project's logs, errors and metrics to an OTLP/HTTP endpoint",
  tag,
  params: projectParams,
  body: z.object({
    url: url.meta({
      description: "Base URL of the endpoint, without `/v1/logs`",
      example: "https://otlp.example.com",
    }),
    headers: drainHeaders.default({}).meta({
      description: "Headers to send, such as credentials. Stored encrypted and never shown",
      example: { authorization: "Bearer 6f1d" },
    }),
  }).strict(),
  // Allows ten headers of the maximum size, encoded as JSON.
  maxBodyBytes: 128 * 1024,
  status: 201,
  response: drain,
});

export const deleteDrain = endpoint({
  method: "DELETE",
  path: `${path}/{drain}`,
  summary: "Remove a drain. Queued records are not sent",
  tag,
  params: one,
  status: 204,
});

export const testDrain = endpoint({
  method: "POST",
  path: `${path}/{drain}/test`,
  summary: "Send a sample log record to a drain, and show the result",
  tag,
  params: one,
  response: z.object({
    delivered: z.boolean().describe("Whether the endpoint accepted the record"),
    status: z.int().nullable().meta({
      description: "HTTP status of the endpoint; null if there was no response",
      example: 200,
    }),
    durationMs: z.int().meta({ description: "Duration in milliseconds", example: 48 }),
    detail: z.string().meta({ description: "Result of the attempt", example: "Status 200" }),
  }),
});
