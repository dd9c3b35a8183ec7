/** A build's variables, including its deployment's databases. @module */
import { join } from "node:path";
import { PROJECT_CONFIG_FILE, readDatabaseSettings } from "../../../build/mod.ts";
import type { DeploymentDatabases } from "../../databases/mod.ts";
import type { GitMirrors } from "../../git/mod.ts";
import type { ProjectRecord } from "../../projects/mod.ts";
import type { BuildJob } from "../types.ts";

export type BuildDatabases = Pick<DeploymentDatabases, "openVariables" | "prepare">;

type BuildVariables = Pick<
  Awaited<ReturnType<BuildDatabases["openVariables"]>>,
  "databases" | "own" | "secret"
>;

/**
 * Returns a build's variables. The svc.toml in the mirror defines how preview databases are
 * created.
 */
export async function openBuildVariables(
  { git, databases }: {
    readonly git: Pick<GitMirrors, "filesOf">;
    readonly databases: BuildDatabases;
  },
  project: ProjectRecord,
  job: BuildJob,
): Promise<BuildVariables> {
  const files = await git.filesOf(project.id, job.commitSha);
  const text = await files.readText(join(project.rootDirectory ?? "", PROJECT_CONFIG_FILE));
  const declared = readDatabaseSettings(text);
  // The build itself reports errors in svc.toml before it runs anything.
  if (declared === undefined) return { databases: {}, own: {}, secret: [] };
  const user = { ...job, id: job.deploymentId, database: declared.settings };
  await databases.prepare(user);
  return await databases.openVariables(user);
}
