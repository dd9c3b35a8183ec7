/** A project's repository: its branches, and the deployable folders of a branch. @module */
import * as z from "zod";
import { build } from "./builds.ts";
import { deploymentFile } from "./deployment_files.ts";
import { endpoint } from "./endpoint.ts";
import { branchName, projectParams } from "./projects.ts";

const repositoryApp = z.object({
  rootDirectory: z.string().nullable().meta({
    description: "Folder of the app in the repository; null for the repository's root",
    example: "apps/web",
  }),
  kind: z.string().nullable().meta({
    description: "Detected framework or kind of project; null if nothing was detected",
    example: "Astro",
  }),
  buildCommand: z.string().nullable().meta({
    description: "Detected build command; null if nothing is built",
    example: "npm run build",
  }),
}).meta({ id: "RepositoryApp" });
export type RepositoryApp = z.infer<typeof repositoryApp>;

export const repository = z.object({
  branches: z.array(z.string()).meta({
    description: "Branches of the repository, sorted by name",
    example: ["main"],
  }),
  branch: z.string().nullable().meta({
    description: "Branch that was inspected; null if the repository is empty",
    example: "main",
  }),
  commitSha: z.string().nullable().meta({
    description: "SHA of the branch's latest commit",
    example: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  }),
  message: z.string().nullable().meta({
    description: "Message of that commit",
    example: "Add the summer menu",
  }),
  apps: z.array(repositoryApp).describe("Folders of the branch that can be deployed, root first"),
}).meta({ id: "Repository" });
export type Repository = z.infer<typeof repository>;

/** Maximum number of files in one source upload. */
export const MAX_SOURCE_FILES = 20_000;
/** Maximum size of one source file, and of all source files together, in bytes. */
const MAX_SOURCE_FILE_BYTES = 100 * 1024 * 1024;
export const MAX_SOURCE_BYTES = 512 * 1024 * 1024;

const sourceFile = deploymentFile.extend({
  size: z.int().min(0).max(MAX_SOURCE_FILE_BYTES).meta({
    description: "Size in bytes",
    example: 13044,
  }),
});

export const buildSources = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/source-builds",
  summary: "Commit uploaded files to the project's repository on the platform, and build them",
  tag: "Builds",
  params: projectParams,
  body: z.object({
    branch: branchName.optional().describe("Branch to commit to; the production branch if omitted"),
    message: z.string().min(1).max(500).optional().meta({
      description: "Commit message",
      example: "Add the summer menu",
    }),
    files: z.array(sourceFile)
      .min(1).max(MAX_SOURCE_FILES).describe(
        "All files of the project. Upload their content as blobs first",
      ),
  }).strict().meta({
    example: {
      message: "Add the summer menu",
      files: [{
        path: "package.json",
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        size: 4,
      }],
    },
  }),
  maxBodyBytes: 8 * 1024 * 1024,
  response: build,
});

export const inspectRepository = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/repository",
  summary: "List the branches of the project's repository, and the apps of one branch",
  tag: "Builds",
  access: "developer",
  params: projectParams,
  query: z.object({
    branch: branchName.optional().describe(
      "Branch to inspect; if omitted, the production branch or the repository's default branch",
    ),
  }),
  response: repository,
});
