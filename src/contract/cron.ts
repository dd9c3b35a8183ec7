/** Scheduled tasks: requests to the server of a project's live production deployment. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const tag = "Scheduled tasks";

const CRON_OUTCOMES = ["succeeded", "failed", "running"] as const;

export const cronRun = z.object({
  path: z.string().describe("Path of the request, with its query if any").meta({
    example: "/api/cron",
  }),
  deploymentId: uuid.describe("ID of the deployment"),
  trigger: z.enum(["schedule", "request"]).describe("What started the run"),
  outcome: z.enum(CRON_OUTCOMES).describe(
    "`succeeded` if the status is below 400, `running` if the run has not finished",
  ),
  status: z.int().nullable().describe("Status of the response; null if there was none"),
  error: z.string().nullable().describe("Why there was no complete response; null otherwise"),
  startedAt: timestamp.describe("When the run started"),
  durationMs: z.number().nullable().describe("Time until the end of the response, in milliseconds"),
  requestId: z.string().meta({
    description: "ID of the run's request in the log",
    example: "5f2c9a7b1e-4q",
  }),
}).meta({ id: "CronRun" });
export type CronRun = z.infer<typeof cronRun>;

export const cronTask = z.object({
  path: z.string().describe("Path of the request, with its query if any").meta({
    example: "/api/cron",
  }),
  schedule: z.string().describe("Minute, hour, day of the month, month, day of the week").meta({
    example: "*/5 * * * *",
  }),
  timezone: z.string().describe("IANA name of the schedule's time zone").meta({
    example: "Europe/Berlin",
  }),
  retries: z.int().describe("How many times to retry a failed scheduled run"),
  deploymentId: uuid.describe("Deployment that is live in production"),
  nextRunAt: timestamp.nullable().describe("Next run; null if never"),
  lastRun: cronRun.nullable().describe("Last run of this path; null if unknown"),
}).meta({ id: "CronTask" });
export type CronTask = z.infer<typeof cronTask>;

export const listCronTasks = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/cron",
  summary: "List the scheduled tasks of the production deployment",
  tag,
  params: projectParams,
  response: z.object({ items: z.array(cronTask).describe("The scheduled tasks") }),
});

export const runCronTask = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/cron/runs",
  summary: "Run a scheduled task now, and wait up to 50 seconds for it to end",
  tag,
  params: projectParams,
  body: z.object({
    path: z.string().max(512).describe("Path of the task").meta({ example: "/api/cron" }),
  }).strict(),
  response: cronRun,
});
