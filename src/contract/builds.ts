/**
 * Builds from git: what the platform makes of a commit.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { branchName, projectParams } from "./projects.ts";

const tag = "Builds";

export const BUILD_STATES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export type BuildState = (typeof BUILD_STATES)[number];

export const build = z.object({
  id: uuid.describe("The id of the deployment that it is for"),
  projectId: uuid.describe("Id of the project"),
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  state: z.enum(BUILD_STATES).meta({ description: "State of the build", example: "SUCCEEDED" }),
  ahead: z.int().nullable().describe("Builds that are ahead of it; null once it runs"),
  branch: z.string().meta({ description: "Git branch", example: "main" }),
  commitSha: z.string().meta({
    description: "SHA of the commit",
    example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  }),
  environment: z.string().meta({ description: "Name of the environment", example: "production" }),
  error: z.string().nullable().meta({
    description: "Why the build failed; null if it did not",
    example: "npm run build ended with exit code 1",
  }),
  queuedAt: timestamp.describe("When the build was queued"),
  startedAt: timestamp.nullable().describe("When it started; null before"),
  finishedAt: timestamp.nullable().describe("When it ended; null before"),
}).meta({ id: "Build" });
export type Build = z.infer<typeof build>;

export const startBuild = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/builds",
  summary: "Build a commit of the project's repository and deploy it",
  tag,
  params: projectParams,
  body: z.object({
    branch: branchName.optional().describe("The production branch where missing"),
    commitSha: z.string().regex(/^[0-9a-fA-F]{7,40}$/, "Must have 7 to 40 hexadecimal digits")
      .optional().meta({
        description: "A commit of the branch; its head if missing",
        example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
      }),
    force: z.boolean().default(false).describe("Builds what is deployed already as well"),
  }).strict(),
  response: build,
});

const buildParams = z.object({ build: uuid.describe("Id of the build") });

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
