/** The paths of repositories that are pushed to the platform. @module */
import { join } from "node:path";

/** The folder for pushed repositories in the data directory. */
export const PUSHED_FOLDER = "repositories";

/** Returns the path of a project's bare repository in the folder for pushed repositories. */
export function pushedRepository(folder: string, projectId: string): string {
  return join(folder, `${projectId}.git`);
}
