/** Environments: the two that every project has, and those that a project creates. Pure. @module */
import * as z from "zod";
import type { Environment } from "../../contract/environments.ts";
import {
  BUILT_IN_ENVIRONMENTS,
  ENVIRONMENT_PREVIEW,
  ENVIRONMENT_PRODUCTION,
} from "../../contract/environment_names.ts";
import { SCOPE_ALL } from "../../contract/variables.ts";
import type { Addresses } from "../core/addresses.ts";
import type { ProjectRecord } from "../projects/mod.ts";

export const environmentRecord = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
});
export type EnvironmentRecord = z.infer<typeof environmentRecord>;

/**
 * Returns whether a name is reserved, and therefore not available for a project's own environments.
 */
export function isReservedEnvironment(name: string): boolean {
  return BUILT_IN_ENVIRONMENTS.includes(name) || name === SCOPE_ALL;
}

/** Returns whether a project has created the environment, so that it can be deleted. */
export const isOwnEnvironment = (name: string): boolean => !BUILT_IN_ENVIRONMENTS.includes(name);

/** Returns the host label that always serves an environment's latest deployment. */
export function environmentLabel(project: string, environment: string): string {
  return environment === ENVIRONMENT_PRODUCTION ? project : `${project}-env-${environment}`;
}

/** Returns the label of the host that should serve a deployment. Each preview has its own label. */
export const ownLabel = ({ environment, projectName, uniqueLabel }: {
  readonly environment: string;
  readonly projectName: string;
  readonly uniqueLabel: string;
}): string =>
  environment === ENVIRONMENT_PREVIEW ? uniqueLabel : environmentLabel(projectName, environment);

/**
 * Returns the host label for an environment's latest deployment. The label contains an underscore,
 * which project names cannot contain.
 */
export function latestLabel(
  project: Pick<ProjectRecord, "id" | "name">,
  environment: string,
): string {
  return environment === ENVIRONMENT_PREVIEW
    ? `_preview-${project.id}`
    : environmentLabel(project.name, environment);
}

export function builtInToWire(
  name: string,
  project: ProjectRecord,
  addresses: Addresses,
): Environment {
  const url = name === ENVIRONMENT_PRODUCTION ? addresses.url(project.name) : null;
  return { id: name, name, isBuiltIn: true, url, createdAt: null };
}

export function environmentToWire(
  environment: EnvironmentRecord,
  project: ProjectRecord,
  addresses: Addresses,
): Environment {
  return {
    id: environment.id,
    name: environment.name,
    isBuiltIn: false,
    url: addresses.url(environmentLabel(project.name, environment.name)),
    createdAt: new Date(environment.createdAt).toISOString(),
  };
}
