/** Builds from git: the platform turns a commit into a deployment. @module */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { branchName, projectParams } from "./projects.ts";

const tag = "Builds";

export const BUILD_STATES = ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"] as const;
export type BuildState = (typeof BUILD_STATES)[number];

export const build = z.object({
  id: uuid.describe("ID of the build (same as its deployment's)"),
  projectId: uuid.describe("ID of the project"),
  project: z.string().meta({ description: "Name of the project", example: "shop" }),
  state: z.enum(BUILD_STATES).meta({ description: "State of the build", example: "SUCCEEDED" }),
  ahead: z.int().nullable().describe(
    "Number of builds ahead in the queue; null once the build is running",
  ),
  branch: z.string().meta({ description: "Git branch", example: "main" }),
  commitSha: z.string().meta({
    description: "SHA of the commit",
    example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  }),
  environment: z.string().meta({ description: "Name of the environment", example: "production" }),
  error: z.string().nullable().meta({
    description: "Why the build failed; null if it did not",
    example: "Build failed: `npm run build` exited with code 1. See the log below.",
  }),
  queuedAt: timestamp.describe("When the build was queued"),
  startedAt: timestamp.nullable().describe("When the build started; null if it has not started"),
  finishedAt: timestamp.nullable().describe("When the build finished; null if it has not finished"),
}).meta({ id: "Build" });
export type Build = z.infer<typeof build>;

export const startBuild = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/builds",
  summary: "Build a commit of the project's repository and deploy it",
  tag,
  params: projectParams,
  body: z.object({
    branch: branchName.optional().describe("Branch to build; the production branch if omitted"),
    commitSha: z.string().regex(/^[0-9a-fA-F]{7,40}$/, "Must have 7 to 40 hexadecimal digits")
      .optional().meta({
        description: "Commit of the branch; its head if omitted",
        example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
      }),
    force: z.boolean().default(false).describe("Build the commit even if it is already deployed"),
  }).strict(),
  response: build,
});

const buildParams = z.object({ build: uuid.describe("ID of the build") });

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
  summary: "Cancel a queued or running build and stop its deployment",
  tag,
  params: buildParams,
  response: build,
});
