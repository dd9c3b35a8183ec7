/** A project's errors: faults in functions and servers, with all of their occurrences. @module */
import * as z from "zod";
import { missingNodes, page, pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { logEntry } from "./logs.ts";
import { projectParams } from "./projects.ts";

export const ERROR_LIMIT_DEFAULT = 50;
export const ERROR_LIMIT_MAX = 500;

const errorId = z.string().regex(/^[0-9a-f]{16}$/, "Must be 16 hexadecimal digits").meta({
  example: "5f3a9c1e0b7d2a44",
});

const summary = {
  id: errorId.meta({ description: "ID of the error", example: "5f3a9c1e0b7d2a44" }),
  kind: z.enum(["function", "server", "response"]).describe(
    "What failed: a function, a server, or a request with a 5xx response and no logged exception",
  ),
  source: z.string().nullable().describe("Name of the function, or of the server's layer").meta({
    example: "orders",
  }),
  title: z.string().describe("Class and message of the latest exception, or status and path").meta({
    example: "TypeError: No boat",
  }),
  count: z.int().positive().describe("Number of occurrences").meta({ example: 42 }),
  firstSeen: timestamp.describe("When it was first seen"),
  lastSeen: timestamp.describe("When it was last seen"),
  broughtBy: uuid.describe("Deployment in which it was first seen"),
};

const errorSummary = z.object(summary).meta({ id: "ErrorSummary" });
export type ErrorSummary = z.infer<typeof errorSummary>;

const occurrence = z.object({
  time: timestamp.describe("When it happened"),
  deploymentId: uuid.describe("Deployment in which it happened"),
  requestId: z.string().nullable().describe("Request during which it happened, if known").meta({
    example: "6e648ce65e-i",
  }),
  method: z.string().nullable().describe("Method of the request, if known").meta({
    example: "GET",
  }),
  path: z.string().nullable().describe("Path and query as sent by the client").meta({
    example: "/orders/17",
  }),
  status: z.int().nullable().describe("Status of the response; null if unknown").meta({
    example: 500,
  }),
  message: z.string().describe("Logged message").meta({ example: "TypeError: No boat" }),
}).meta({ id: "ErrorOccurrence" });
export type ErrorOccurrence = z.infer<typeof occurrence>;

const errorDetails = z.object({
  ...summary,
  stack: z.string().nullable().describe(
    "Stack of the latest occurrence, mapped to your source files",
  ).meta({
    example: "TypeError: No boat\n    at find (functions/orders.ts:5:9)",
  }),
  deployments: z.array(z.object({
    deploymentId: uuid.describe("The deployment"),
    count: z.int().positive().describe("Occurrences in this deployment").meta({ example: 3 }),
    firstSeen: timestamp.describe("When it was first seen in this deployment"),
    lastSeen: timestamp.describe("When it was last seen in this deployment"),
  })).describe("Latest deployments in which it was seen"),
  occurrences: z.array(occurrence).describe("Latest occurrences, newest first"),
  lines: z.array(logEntry).describe("Log lines of the latest request, oldest first"),
}).meta({ id: "ErrorDetails" });
export type ErrorDetails = z.infer<typeof errorDetails>;

export const listErrors = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/errors",
  summary: "List the errors in a project's functions and servers, most recent first",
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
    deploymentId: uuid.optional().describe("Only errors first seen in this deployment"),
  }),
  response: page(errorSummary).extend({ missingNodes }),
});

export const getError = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/errors/{error}",
  summary: "Show an error with its stack, deployments and latest occurrences",
  tag: "Errors",
  params: projectParams.extend({
    error: errorId.meta({ description: "ID of the error", example: "5f3a9c1e0b7d2a44" }),
  }),
  response: errorDetails.extend({ missingNodes }),
});
