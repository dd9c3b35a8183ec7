/** Paths of the repositories that are pushed to the platform. @module */
import { join } from "node:path";

/** Folder of the pushed repositories in the data directory. */
export const PUSHED_FOLDER = "repositories";

/** The bare repository of a project, in the folder of all pushed repositories. */
export function pushedRepository(folder: string, projectId: string): string {
  return join(folder, `${projectId}.git`);
}
