import type { ProjectReader } from "../frameworks/types.ts";
import { isMember, workspacePatterns } from "./workspace_patterns.ts";

/** Maximum number of parent folders that are searched for the project's workspace root. */
const MAX_ABOVE = 4;

/** Reads the member patterns of a workspace root. Returns `undefined` for other folders. */
export async function patternsAt(
  reader: ProjectReader,
  folder: string,
): Promise<readonly string[] | undefined> {
  const [pnpmWorkspace, packageJson] = await Promise.all([
    reader.readText(`${folder}pnpm-workspace.yaml`),
    reader.readText(`${folder}package.json`),
  ]);
  return await workspacePatterns({ pnpmWorkspace, packageJson });
}

/** Returns the project's path relative to a root that is `steps` folders above it. */
function pathFrom(steps: number, directory: string | undefined): string | undefined {
  return directory?.split(/[\\/]/).slice(-steps).join("/");
}

/**
 * Returns the folder in which the project's packages are installed: `../`, `../../` and so on if
 * the project is part of a workspace (of npm, pnpm, Yarn or Bun), otherwise "".
 */
export async function workspaceRoot(reader: ProjectReader): Promise<string> {
  for (let steps = 1; steps <= MAX_ABOVE; steps++) {
    const folder = "../".repeat(steps);
    const patterns = await patternsAt(reader, folder);
    if (patterns === undefined) continue;
    const path = pathFrom(steps, reader.directory);
    if (path === undefined || isMember(path, patterns)) return folder;
  }
  return "";
}
