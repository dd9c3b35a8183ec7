/**
 * Facts about the environment of a rules file: the project's functions, the pages of its folders,
 * and the platform's abilities.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { createFolderReader, RULES_FILE } from "../../build/mod.ts";
import { detectProject } from "../../manifest/mod.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import type { Surroundings } from "../../rules/mod.ts";
import { findPlatform } from "./platform_facts.ts";
import type { RulesSource } from "./rules_file.ts";

/** The functions beside a rules file; `undefined` where another file has no `functions/` beside it. */
async function findNames(path: string): Promise<readonly string[] | undefined> {
  const { findFunctions } = await import("../../runtime/mod.ts");
  const { functions } = await findFunctions(dirname(path));
  const isProjectFile = path.endsWith(join("/", RULES_FILE));
  return functions.length === 0 && !isProjectFile ? undefined : functions.map(({ name }) => name);
}

/** Finds the folders with a page, where the folder of the rules file is deployed as it is. */
async function findFolderPages(
  ctx: Context,
  path: string,
): Promise<((folder: string) => boolean) | undefined> {
  const directory = dirname(path);
  const { build, static: served } = (await openProjectFolder(ctx, directory)).config ?? {};
  if (build?.command !== undefined) return undefined;
  const written = build?.outputDirs ?? [];
  const outputDirs = written.length > 0
    ? written
    : (await detectProject(createFolderReader(directory), {})).outputDirs;
  if (outputDirs.join() !== ".") return undefined;
  // Otherwise, the path without a slash redirects to the folder.
  if (served?.trailingSlash !== "never") return () => false;
  return (folder) => isFile(join(directory, folder, "index.html"));
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Returns facts about the environment of a rules file. */
export async function surroundingsOf(ctx: Context, file: RulesSource): Promise<Surroundings> {
  const [functions, platform, hasFolderPage] = await Promise.all([
    findNames(file.path),
    findPlatform(ctx, file.source),
    findFolderPages(ctx, file.path),
  ]);
  return { functions, ...platform, hasFolderPage };
}
