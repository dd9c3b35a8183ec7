/** The log of a build from git. @module */
import * as z from "zod";
import { missingNodes, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

/**
 * `output` is text that the project's commands print. All other levels are messages of the
 * platform.
 */
const BUILD_LOG_LEVELS = ["output", "info", "warn", "error"] as const;
export type BuildLogLevel = (typeof BUILD_LOG_LEVELS)[number];

export const buildLogLine = z.object({
  number: z.int().describe("Line number, from 1. Gaps indicate lines that were left out"),
  time: timestamp.describe("Time of the line"),
  level: z.enum(BUILD_LOG_LEVELS).meta({ description: "Level of the line", example: "info" }),
  text: z.string().describe(
    "Text of the line, without control sequences. Values of secrets are replaced by `•••`",
  ),
}).meta({ id: "BuildLogLine" });
export type BuildLogLine = z.infer<typeof buildLogLine>;

const buildLogPart = z.object({
  lines: z.array(buildLogLine).describe("Lines, oldest first"),
  isComplete: z.boolean().describe("True if the log is complete"),
}).meta({ id: "BuildLogPart" });

const params = z.object({ deployment: uuid.describe("ID of the deployment") });

export const getBuildLog = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/build-log",
  summary: "Show the build log of a deployment",
  tag: "Logs",
  params,
  response: buildLogPart.extend({ missingNodes }),
});

export const followBuildLog = endpoint({
  method: "GET",
  path: "/v1/deployments/{deployment}/build-log/stream",
  summary: "Stream a build log as Server-Sent Events, one BuildLogPart each, until it is complete",
  tag: "Logs",
  params,
  response: buildLogPart,
  responseKind: "events",
});
