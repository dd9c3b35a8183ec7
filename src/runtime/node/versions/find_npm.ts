/** @module Finds the machine's npm, which runs the scripts of deployed projects. */
import { dirname, isAbsolute, join, relative } from "node:path";
import type { ServerTool } from "../../compute/wire.ts";

/** npm's programs, by name. */
const PROGRAMS = ["npm", "npx"] as const;

/** Returns the package that a file belongs to: the nearest parent folder with a package.json. */
async function packageOf(file: string): Promise<string | undefined> {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await Deno.stat(join(folder, "package.json")).catch(() => undefined);
    if (found?.isFile === true) return folder;
  }
  return undefined;
}

async function find(name: string, searchPath: string): Promise<ServerTool | undefined> {
  for (const place of searchPath.split(":")) {
    if (!isAbsolute(place)) continue;
    const file = await Deno.realPath(join(place, name)).catch(() => undefined);
    // Version managers replace npm with their own scripts, which would download npm.
    if (file === undefined || !/\/npm-?cli\.js$|\/npx-?cli\.js$/.test(file)) continue;
    const folder = await packageOf(file);
    if (folder !== undefined) return { name, folder, file: relative(folder, file) };
  }
  return undefined;
}

/** Finds npm in the folders of a search path. Returns no programs if npm is missing. */
export async function findNpm(searchPath: string): Promise<readonly ServerTool[]> {
  const found = await Promise.all(PROGRAMS.map((name) => find(name, searchPath)));
  return found.filter((tool) => tool !== undefined);
}
