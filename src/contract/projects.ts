/**
 * Projects: what is deployed, and how it is built.
 *
 * @module
 */
import { z } from "zod";
import { page, pageQuery, projectName, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

/** Frameworks that `--framework` accepts (spec: `projects create`). */
export const FRAMEWORKS = ["astro", "nuxt", "sveltekit", "nitro"] as const;

const command = z.string().min(1).max(1000);
const folder = z.string().min(1).max(256).refine(
  (path) => !path.startsWith("/") && !path.split(/[\\/]/).includes(".."),
  "Must be a path inside the project",
);
const gitUrl = z.string().min(1).max(2000);
/** A branch name as git allows it, less what could be taken for an option. */
export const branchName = z.string().min(1).max(244).regex(
  // deno-lint-ignore no-control-regex -- these are the characters that git forbids
  /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\/\.|\.lock$))[^\x00-\x20\x7f~^:?*[\\]+$/,
  "Must be a valid git branch name",
);
const nodeVersion = z.string().max(20).regex(/^\d+(\.\d+){0,2}$/, "Must be a version such as 24");

const settings = z.object({
  displayName: z.string().min(1).max(100).nullable(),
  gitUrl: gitUrl.nullable(),
  branch: branchName,
  framework: z.enum(FRAMEWORKS).nullable(),
  installCommand: command.nullable(),
  buildCommand: command.nullable(),
  outputDirectory: folder.nullable(),
  rootDirectory: folder.nullable(),
  nodeVersion: nodeVersion.nullable(),
});

export const project = settings.extend({
  id: uuid,
  name: projectName,
  workspace: z.string(),
  /** Address of the production deployment, live or not. */
  url: z.url(),
  /** The deployment that production serves; null before the first. */
  productionDeploymentId: uuid.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Project" });
export type Project = z.infer<typeof project>;

export const createProjectBody = settings.partial().extend({
  name: projectName,
  branch: branchName.default("main"),
}).strict();
export const updateProjectBody = settings.partial().strict();

/** A project is named by its id or by its name. */
const projectParams = z.object({ project: z.union([uuid, projectName]) });

export const listProjects = endpoint({
  method: "GET",
  path: "/v1/projects",
  summary: "List projects, newest first",
  tag: "Projects",
  query: pageQuery,
  response: page(project),
});

export const createProject = endpoint({
  method: "POST",
  path: "/v1/projects",
  summary: "Create a project",
  tag: "Projects",
  body: createProjectBody,
  response: project,
  status: 201,
});

export const getProject = endpoint({
  method: "GET",
  path: "/v1/projects/{project}",
  summary: "Show a project",
  tag: "Projects",
  params: projectParams,
  response: project,
});

export const updateProject = endpoint({
  method: "PATCH",
  path: "/v1/projects/{project}",
  summary: "Change a project's settings",
  tag: "Projects",
  params: projectParams,
  body: updateProjectBody,
  response: project,
});

export const deleteProject = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}",
  summary: "Delete a project with all its deployments",
  tag: "Projects",
  access: "owner",
  params: projectParams,
  status: 204,
});

export { projectParams };
