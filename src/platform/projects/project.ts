/** A project's record and its wire format. @module */
import * as z from "zod";
import { FRAMEWORKS, GIT_CREDENTIAL_TYPES, type Project } from "../../contract/projects.ts";
import type { Addresses } from "../core/addresses.ts";

export const projectRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  workspaceSlug: z.string(),
  name: z.string(),
  displayName: z.string().nullable(),
  gitUrl: z.string().nullable(),
  /** The kind of credentials that are stored for the git URL's host. */
  gitCredentials: z.enum(GIT_CREDENTIAL_TYPES).nullable().default(null),
  branch: z.string(),
  framework: z.enum(FRAMEWORKS).nullable(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  outputDirectory: z.string().nullable(),
  rootDirectory: z.string().nullable(),
  nodeVersion: z.string().nullable(),
  /** Whether to redeploy when a URL used in a variable changes. */
  autoRedeploy: z.boolean().optional(),
  /** Deployments in the order in which they went live. The last one is live now. */
  productionHistory: z.array(z.string()),
  /** Earlier production deployments, newest first. Their open pages may still send requests. */
  productionPast: z.array(z.object({ id: z.string(), until: z.number() })).optional(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type ProjectRecord = z.infer<typeof projectRecord>;

/** Returns the deployment that production serves, if there is one. */
export function productionDeploymentId(project: ProjectRecord): string | null {
  return project.productionHistory.at(-1) ?? null;
}

export function projectToWire(project: ProjectRecord, addresses: Addresses): Project {
  const {
    workspaceId: _,
    workspaceSlug,
    productionHistory: __,
    productionPast: ___,
    ...settings
  } = project;
  return {
    autoRedeploy: false,
    ...settings,
    workspace: workspaceSlug,
    url: addresses.url(project.name),
    productionDeploymentId: productionDeploymentId(project),
    rollbackDeploymentId: project.productionHistory.at(-2) ?? null,
    createdAt: new Date(project.createdAt).toISOString(),
    updatedAt: new Date(project.updatedAt).toISOString(),
  };
}
