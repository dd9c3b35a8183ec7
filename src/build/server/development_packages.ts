/**
 * What only development needs is not deployed, even where a package would take it
 * if it were there, as many do with TypeScript.
 *
 * @module
 */
import { z } from "zod";
import type { TracedFile } from "../../runtime/mod.ts";
import { createFolderReader } from "../folder_reader.ts";

const names = z.record(z.string(), z.unknown()).optional().catch(undefined);
const packageSchema = z.object({
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() }))
    .optional().catch(undefined),
});
type Package = z.infer<typeof packageSchema>;

async function readPackage(folder: string): Promise<Package> {
  const text = await createFolderReader(folder).readText("package.json");
  try {
    return packageSchema.safeParse(JSON.parse(text ?? "{}")).data ?? {};
  } catch {
    return {};
  }
}

/** The folder of the package that a file is in, and its name. */
function packageAt(path: string): { readonly folder: string; readonly name: string } | undefined {
  const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
  return folder === undefined || name === undefined ? undefined : { folder, name };
}

function isDeclared(by: Package, name: string): boolean {
  const isOptionalPeer = by.peerDependenciesMeta?.[name]?.optional === true;
  return name in { ...by.dependencies, ...by.optionalDependencies } ||
    (name in { ...by.peerDependencies } && !isOptionalPeer);
}

/**
 * Leaves out packages of the project's `devDependencies` that only packages ask for
 * which do not declare them, and all that these bring along.
 */
export async function withoutDevelopment(
  files: ReadonlyMap<string, TracedFile>,
  { project, entry }: { readonly project: string; readonly entry: string },
): Promise<ReadonlyMap<string, TracedFile>> {
  const own = await readPackage(project);
  const isDevelopment = (name: string) =>
    name in { ...own.devDependencies } && !isDeclared(own, name);
  const packages = new Map<string, Package>();
  for (const [path, { parents }] of files) {
    if (!isDevelopment(packageAt(path)?.name ?? "")) continue;
    for (const parent of parents) {
      const importer = packageAt(parent);
      if (importer === undefined || packages.has(importer.folder)) continue;
      packages.set(importer.folder, await readPackage(importer.folder));
    }
  }
  const isUnwanted = (path: string, parent: string) => {
    const [wanted, importer] = [packageAt(path), packageAt(parent)];
    if (wanted === undefined || importer === undefined || wanted.folder === importer.folder) {
      return false;
    }
    return isDevelopment(wanted.name) &&
      !isDeclared(packages.get(importer.folder) ?? {}, wanted.name);
  };
  return reachable(files, entry, isUnwanted);
}

/** What is reached from the entry by edges that are wanted. */
function reachable(
  files: ReadonlyMap<string, TracedFile>,
  entry: string,
  isUnwanted: (path: string, parent: string) => boolean,
): ReadonlyMap<string, TracedFile> {
  const children = new Map<string, string[]>();
  const roots = [entry];
  for (const [path, { parents }] of files) {
    if (parents.size === 0) roots.push(path);
    for (const parent of parents) {
      if (isUnwanted(path, parent)) continue;
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [path]);
      else known.push(path);
    }
  }
  const seen = new Set<string>();
  const queue = roots;
  for (let at = 0; at < queue.length; at++) {
    const path = queue[at]!;
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...children.get(path) ?? []);
  }
  return new Map([...files].filter(([path]) => seen.has(path)));
}
