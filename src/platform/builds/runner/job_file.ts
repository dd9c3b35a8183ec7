/**
 * What a build process is given to do.
 *
 * @module
 */
import { join } from "node:path";
import type { BuildJobFile } from "../../../build/mod.ts";
import type { ProjectRecord } from "../../projects/mod.ts";
import type { BuildJob } from "../types.ts";
import type { BuildFolder } from "./build_folder.ts";

/** The file that says which commit is built and how, with the build's own paths. */
export function jobFile(
  folder: BuildFolder,
  { job, project, variables }: {
    readonly job: BuildJob;
    readonly project: ProjectRecord;
    readonly variables: Record<string, string>;
  },
): BuildJobFile {
  const { rootDirectory, installCommand, buildCommand, outputDirectory, nodeVersion } = project;
  return {
    repository: join(folder.inside.box, "repo"),
    commitSha: job.commitSha,
    ...{ rootDirectory, installCommand, buildCommand, outputDirectory, nodeVersion },
    variables,
    cache: folder.inside.cache,
    outbox: join(folder.inside.box, "outbox"),
  };
}
