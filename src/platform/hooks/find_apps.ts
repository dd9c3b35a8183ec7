/**
 * Finds the apps in a commit: the folders that can be deployed, each with its framework.
 *
 * @module
 */
import type { RepositoryApp } from "../../contract/repositories.ts";
import { detectProject, FRAMEWORKS, type ProjectReader } from "../../manifest/mod.ts";
import type { CommitFiles } from "../git/mod.ts";

/** Files that mark a folder as a project. */
const SIGNS: ReadonlySet<string> = new Set([
  "package.json",
  "svc.toml",
  "index.html",
  ...FRAMEWORKS.flatMap(({ configFiles }) => configFiles),
]);

/** Maximum nesting depth of an app's folder, and maximum number of folders to check. */
const MAX_DEPTH = 3;
const MAX_APPS = 20;
/** Maximum number of files to list in a folder, the same as on disk. */
const MAX_LISTED = 200;

/** Folders for packages, tools and tests. Nothing in them is an app to deploy. */
const SKIPPED = /^(?:node_modules|vendor|dist|build|out|test|tests|fixtures|examples|docs|\..*)$/;

/** Reads one folder in a commit; "" is the root. */
export function commitReader({ paths, readText }: CommitFiles, folder: string): ProjectReader {
  const root = folder === "" ? "" : `${folder}/`;
  const files = new Set(paths);
  /**
   * Resolves a path relative to the folder. Detection also looks above the folder, for the root of
   * a workspace.
   */
  const resolve = (path: string): string | undefined => {
    const parts: string[] = [];
    for (const part of `${root}${path}`.split("/")) {
      if (part === "..") {
        if (parts.pop() === undefined) return undefined;
      } else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
  };
  return {
    async readText(path) {
      const at = resolve(path);
      return at === undefined || !files.has(at) ? undefined : await readText(at);
    },
    exists(path) {
      const at = resolve(path);
      const is = at !== undefined &&
        (at === "" || files.has(at) || paths.some((each) => each.startsWith(`${at}/`)));
      return Promise.resolve(is);
    },
    list(path) {
      const at = resolve(path);
      if (at === undefined) return Promise.resolve([]);
      const start = at === "" ? "" : `${at}/`;
      const below = paths.filter((each) => each.startsWith(start))
        .map((each) => each.slice(start.length))
        .filter((each) => !each.split("/").some((part) => /^\.|^node_modules$/.test(part)))
        .sort((one, other) => one.split("/").length - other.split("/").length);
      return Promise.resolve(below.slice(0, MAX_LISTED));
    },
  };
}

/** Lists the folders in a commit that may be apps, starting with the root. */
function candidates(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    if (!SIGNS.has(name) || parts.length > MAX_DEPTH) continue;
    if (parts.length > 0 && !parts.some((part) => SKIPPED.test(part))) found.add(parts.join("/"));
  }
  return ["", ...[...found].sort().slice(0, MAX_APPS - 1)];
}

/** The kind of a package that has only a build script: an app, or a library that apps use. */
const BUILT = "Build script";

async function lookAt(files: CommitFiles, folder: string): Promise<RepositoryApp> {
  const reader = commitReader(files, folder);
  const { framework, server, buildCommand } = await detectProject(reader);
  const isPage = framework === undefined && await reader.exists("index.html");
  const kind = framework?.name ??
    (server !== undefined ? "Server" : isPage ? "Static site" : undefined) ??
    (await reader.exists("svc.toml") ? "Project with svc.toml" : undefined) ??
    (buildCommand === undefined ? null : BUILT);
  return { rootDirectory: folder === "" ? null : folder, kind, buildCommand: buildCommand ?? null };
}

/** Returns the root, even if it is not deployable, and the deployable folders under it. */
export async function findApps(files: CommitFiles): Promise<readonly RepositoryApp[]> {
  const apps: RepositoryApp[] = [];
  for (const folder of candidates(files.paths)) {
    const app = await lookAt(files, folder);
    if (app.kind !== null || app.rootDirectory === null) apps.push(app);
  }
  const isKnown = ({ kind }: RepositoryApp) => kind !== null && kind !== BUILT;
  const hasKnown = apps.some(isKnown);
  return apps.filter((app) => app.rootDirectory === null || !hasKnown || isKnown(app));
}
