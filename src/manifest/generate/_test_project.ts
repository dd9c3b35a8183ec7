/** In-memory projects, and their detection results. */
import { detectProject } from "../detect/detect_project.ts";
import { type BuiltOptions, findBuilt } from "./generate_manifest.ts";

type Texts = Readonly<Record<string, string>>;

/** A project in memory. */
export interface Project {
  /** Contents of the project's files, including the build's files. */
  readonly files: Texts;
  /** The output directory. By default, the first one that detection suggests. */
  readonly directory?: string;
}

function readerOf(files: Texts) {
  const folders = new Set(
    Object.keys(files).flatMap((path) =>
      path.split("/").slice(1).map((_, at) => path.split("/").slice(0, at + 1).join("/"))
    ),
  );
  return {
    readText: (path: string) => Promise.resolve(files[path]),
    exists: (path: string) => Promise.resolve(path in files || folders.has(path)),
    list: (folder: string) =>
      Promise.resolve(
        Object.keys(files).filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1)),
      ),
  };
}

/** Runs detection and `findBuilt()` on a project. */
export async function inspect({ files, directory }: Project, options: BuiltOptions = {}) {
  const project = readerOf(files);
  const detected = await detectProject(project);
  const folder = directory ?? detected.outputDirs[0] ?? ".";
  const prefix = folder === "." ? "" : `${folder}/`;
  const found = await findBuilt(detected, {
    directory: folder,
    paths: Object.keys(files).filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length)),
    readText: (path) => Promise.resolve(files[prefix + path]),
    project,
  }, options);
  return { detected, found, folder };
}

/** Returns the paths of the files to deploy, from the output or from placements. */
export function deployedPaths(
  { files }: Project,
  { found, folder }: Awaited<ReturnType<typeof inspect>>,
): string[] {
  const placements = found.type === "server" && found.placements !== undefined
    ? found.placements
    : [{ from: folder, to: "." }];
  const moved = Object.keys(files).flatMap((path) =>
    placements.flatMap(({ from, to }) => {
      if (from === ".") return [path];
      if (!path.startsWith(`${from}/`)) return [];
      const rest = path.slice(from.length + 1);
      return [to === "." ? rest : `${to}/${rest}`];
    })
  );
  return [...new Set(moved)];
}

/** Returns the content of a package.json. */
export const pack = (
  dependencies: readonly string[],
  scripts: Readonly<Record<string, string>> = {},
) =>
  JSON.stringify({
    scripts,
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "^1.2.3"])),
  });

/** An Express server. */
export const EXPRESS = 'require("express")().listen(3000);';
