/**
 * The errors of a project: faults of its functions and servers, each with all its
 * occurrences.
 *
 * @module
 */
import * as z from "zod";
import { missingNodes, page, pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { logEntry } from "./logs.ts";
import { projectParams } from "./projects.ts";

export const ERROR_LIMIT_DEFAULT = 50;
export const ERROR_LIMIT_MAX = 500;

export const errorId = z.string().regex(/^[0-9a-f]{16}$/, "Must be 16 hexadecimal digits").meta({
  example: "5f3a9c1e0b7d2a44",
});

const summary = {
  id: errorId.meta({ description: "Id of the error", example: "5f3a9c1e0b7d2a44" }),
  kind: z.enum(["function", "server", "response"]).describe(
    "What failed: a function, a server, or a request answered with 5xx for which no exception is known",
  ),
  source: z.string().nullable().describe("Name of the function or of the server's layer").meta({
    example: "orders",
  }),
  title: z.string().describe("Class and message of the latest exception, or status and path").meta({
    example: "TypeError: No boat",
  }),
  count: z.int().positive().describe("How often it was seen").meta({ example: 42 }),
  firstSeen: timestamp.describe("When it was seen first"),
  lastSeen: timestamp.describe("When it was seen last"),
  broughtBy: uuid.describe("The deployment in which it was seen first"),
};

export const errorSummary = z.object(summary).meta({ id: "ErrorSummary" });
export type ErrorSummary = z.infer<typeof errorSummary>;

const occurrence = z.object({
  time: timestamp.describe("When it happened"),
  deploymentId: uuid.describe("The deployment that it happened in"),
  requestId: z.string().nullable().describe("The request during which it happened, if known").meta({
    example: "6e648ce65e-i",
  }),
  method: z.string().nullable().describe("Method of the request, if known").meta({
    example: "GET",
  }),
  path: z.string().nullable().describe("Path and query as the client wrote them").meta({
    example: "/orders/17",
  }),
  status: z.int().nullable().describe("Status of the answer; null where it is not known").meta({
    example: 500,
  }),
  message: z.string().describe("What was logged").meta({ example: "TypeError: No boat" }),
}).meta({ id: "ErrorOccurrence" });
export type ErrorOccurrence = z.infer<typeof occurrence>;

export const errorDetails = z.object({
  ...summary,
  stack: z.string().nullable().describe("Of the latest occurrence, in files of the author").meta({
    example: "TypeError: No boat\n    at find (functions/orders.ts:5:9)",
  }),
  deployments: z.array(z.object({
    deploymentId: uuid.describe("The deployment"),
    count: z.int().positive().describe("How often it was seen there").meta({ example: 3 }),
    firstSeen: timestamp.describe("When it was seen there first"),
    lastSeen: timestamp.describe("When it was seen there last"),
  })).describe("The latest deployments in which it was seen"),
  occurrences: z.array(occurrence).describe("The latest ones, the newest first"),
  lines: z.array(logEntry).describe("Lines of the log of the latest request, the oldest first"),
}).meta({ id: "ErrorDetails" });
export type ErrorDetails = z.infer<typeof errorDetails>;

export const listErrors = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/errors",
  summary: "List the errors of a project's functions and servers, the last seen first",
  tag: "Errors",
  params: projectParams,
  query: z.object({
    limit: pageLimit(ERROR_LIMIT_MAX, ERROR_LIMIT_DEFAULT).meta({
      description: "Maximum number of entries",
      example: 20,
    }),
    cursor: errorId.optional().meta({
      description: "`nextCursor` of the previous page",
      example: "5f3a9c1e0b7d2a44",
    }),
    deploymentId: uuid.optional().describe("Only errors that this deployment brought"),
  }),
  response: page(errorSummary).extend({ missingNodes }),
});

export const getError = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/errors/{error}",
  summary: "Show an error with its stack, its deployments and its latest occurrences",
  tag: "Errors",
  params: projectParams.extend({
    error: errorId.meta({ description: "Id of the error", example: "5f3a9c1e0b7d2a44" }),
  }),
  response: errorDetails.extend({ missingNodes }),
});
