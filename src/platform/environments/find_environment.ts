/**
 * Finds the environment that a request names.
 *
 * @module
 */
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import type { EnvironmentStore } from "./environment_store.ts";

/** The name of an environment given by name or id; the failure lists those that exist. */
export async function findEnvironmentName(
  environments: EnvironmentStore,
  project: ProjectRecord,
  reference: string,
): Promise<string> {
  const name = await environments.findName(project.id, reference);
  if (name !== undefined) return name;
  const names = await environments.names(project.id);
  throw new Failure(
    "not_found",
    `Environment "${reference}" does not exist in project "${project.name}". ` +
      `Available: ${names.join(", ")}`,
  );
}
