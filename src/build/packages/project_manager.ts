/** @module Fetches a deployed project's package manager, for scripts that its server calls. */
import { dirname, join, relative } from "node:path";
import { detectProject, usualVersion } from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";
import type { BuildHost } from "../types.ts";
import { fetchManager } from "./fetch_manager.ts";

/** A program of a package manager. */
interface ManagerProgram {
  readonly name: string;
  /** Absolute path of the folder that the program needs, without links. */
  readonly folder: string;
  /** Path of the program, relative to the folder. */
  readonly file: string;
}

/** Package managers other than npm, with their aliases. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  pnpm: ["pnpm", "pnpx"],
  yarn: ["yarn", "yarnpkg"],
  bun: ["bun", "bunx"],
};

/**
 * Fetches the version of the package manager that a project requires. Fetches nothing if the
 * project uses npm, or if none of its commands uses the package manager.
 *
 * @throws {BuildError} if it cannot be fetched
 */
export async function fetchProjectManager(
  host: BuildHost,
  { directory, commands }: { readonly directory: string; readonly commands: readonly string[] },
): Promise<readonly ManagerProgram[]> {
  const reader = createFolderReader(directory);
  const { manager, scripts } = await managerOf(reader);
  if (manager === undefined) return [];
  const names = PROGRAMS[manager.name] ?? [];
  const isNamed = [...commands, ...scripts].some((command) =>
    names.some((name) => new RegExp(`(?<![\\w./-])${name}(?![\\w.-])`).test(command))
  );
  if (!isNamed) return [];
  await Deno.mkdir(host.toolsDir, { recursive: true });
  const { bin } = await fetchManager(host, {
    name: manager.name,
    version: manager.version ?? await usualVersion(reader, manager),
    hash: manager.hash,
    // Installs into the tools folder, because the deployment's registry settings have not been
    // checked.
    directory: host.toolsDir,
  });
  const folder = await Deno.realPath(dirname(bin));
  const found = await Promise.all(names.map(async (name) => {
    const file = await Deno.realPath(join(bin, name)).catch(() => undefined);
    return file === undefined ? [] : [{ name, folder, file: relative(folder, file) }];
  }));
  return found.flat();
}

async function managerOf(reader: ReturnType<typeof createFolderReader>) {
  const { manager } = await detectProject(reader);
  const text = await reader.readText("package.json");
  try {
    const { scripts = {} } = JSON.parse(text ?? "{}") as { readonly scripts?: object };
    const commands = Object.values(scripts).filter((each) => typeof each === "string");
    return { manager, scripts: commands };
  } catch {
    return { manager, scripts: [] };
  }
}
