/** Usage and limits of a workspace and its projects. @module */
import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

/** Counting stops at this number, which limits the cost of counting. */
export const MAX_COUNTED = 1000;

const USAGE_SUBJECTS = [
  "projects",
  "members",
  "apiKeys",
  "publishers",
  "webhooks",
  "deployments",
  "environments",
  "variables",
  "domains",
  "deployHooks",
  "databases",
  "databaseBranches",
  "databaseSnapshots",
  "errors",
  "drains",
] as const;
export type UsageSubject = typeof USAGE_SUBJECTS[number];

const usageItem = z.object({
  subject: z.enum(USAGE_SUBJECTS).describe("Counted resource").meta({ example: "domains" }),
  of: z.string().nullable().describe(
    "Name of the database it belongs to; null for the workspace or project",
  ).meta({ example: null }),
  used: z.int().nonnegative().max(MAX_COUNTED).describe(
    `Current count; ${MAX_COUNTED} means that many or more`,
  ).meta({ example: 3 }),
  limit: z.int().positive().nullable().describe(
    "Limit; null if there is none",
  ).meta({ example: 200 }),
}).meta({ id: "Usage" });
export type Usage = z.infer<typeof usageItem>;

const response = z.object({ items: z.array(usageItem).describe("One entry per resource") });

export const listUsage = endpoint({
  method: "GET",
  path: "/v1/usage",
  summary: "Show the usage and limits of the workspace",
  tag: "Workspaces",
  response,
});

export const listProjectUsage = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/usage",
  summary: "Show the usage and limits of a project",
  tag: "Projects",
  params: projectParams,
  response,
});
