/**
 * Builds from git: what the platform makes of a commit.
 *
 * @module
 */
import { z } from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const tag = "Builds";

export const BUILD_STATES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export type BuildState = (typeof BUILD_STATES)[number];

export const build = z.object({
  id: uuid.describe("The id of the deployment that it is for"),
  projectId: uuid,
  project: z.string(),
  state: z.enum(BUILD_STATES),
  ahead: z.int().nullable().describe("Builds that are ahead of it; null once it runs"),
  branch: z.string(),
  commitSha: z.string(),
  environment: z.string(),
  error: z.string().nullable(),
  queuedAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
}).meta({ id: "Build" });
export type Build = z.infer<typeof build>;

const buildParams = z.object({ build: uuid });

export const listBuilds = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/builds",
  summary: "List a project's builds, newest first",
  tag,
  params: projectParams,
  query: pageQuery,
  response: page(build),
});

export const getBuild = endpoint({
  method: "GET",
  path: "/v1/builds/{build}",
  summary: "Show a build",
  tag,
  params: buildParams,
  response: build,
});

export const cancelBuild = endpoint({
  method: "POST",
  path: "/v1/builds/{build}/cancel",
  summary: "Cancel a build that waits or runs; its deployment is stopped",
  tag,
  params: buildParams,
  response: build,
});
