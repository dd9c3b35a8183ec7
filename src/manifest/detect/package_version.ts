/** @module Finds the version of a dependency in a few files, as precisely as possible. */
import type { ProjectReader } from "../frameworks/types.ts";

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[\w.-]+)?`;

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** Patterns that match a top-level dependency and its version in each kind of lock file. */
const LOCKED: Readonly<Record<string, (name: string) => RegExp>> = {
  "package-lock.json": (name) =>
    new RegExp(`"node_modules/${name}":\\s*\\{\\s*"version":\\s*"(${VERSION})"`),
  "npm-shrinkwrap.json": (name) =>
    new RegExp(`"node_modules/${name}":\\s*\\{\\s*"version":\\s*"(${VERSION})"`),
  "pnpm-lock.yaml": (name) =>
    new RegExp(`^ +'?${name}'?:\\n +specifier:[^\\n]*\\n +version: (${VERSION})`, "m"),
  "yarn.lock": (name) => new RegExp(`^"?${name}@[^\\n]*:\\n +version:? "?(${VERSION})"?`, "m"),
  "bun.lock": (name) => new RegExp(`"${name}": \\["${name}@(${VERSION})"`),
  "deno.lock": (name) => new RegExp(`"npm:${name}@[^"]*": "(${VERSION})`),
};

async function installedVersion(
  reader: ProjectReader,
  { name, root }: { readonly name: string; readonly root: string },
): Promise<string | undefined> {
  const own = await reader.readText(`node_modules/${name}/package.json`);
  const text = own ?? await reader.readText(`${root}node_modules/${name}/package.json`);
  return new RegExp(`"version":\\s*"(${VERSION})"`).exec(text ?? "")?.[1];
}

/**
 * Returns the installed version of a package. If the package is not installed, returns its version
 * in the lock file or, failing that, the lowest version in its range in package.json.
 */
export async function packageVersion(
  reader: ProjectReader,
  dependency: {
    readonly name: string;
    readonly range: string;
    readonly lockFile?: string;
    /** Folder in which the project's packages are installed, or "" for the project itself. */
    readonly root: string;
  },
): Promise<string | undefined> {
  const installed = await installedVersion(reader, dependency);
  if (installed !== undefined) return installed;
  const form = LOCKED[dependency.lockFile?.split("/").at(-1) ?? ""];
  if (form !== undefined && dependency.lockFile !== undefined) {
    const text = await reader.readText(dependency.lockFile);
    const locked = form(escapeText(dependency.name)).exec(text ?? "")?.[1];
    if (locked !== undefined) return locked;
  }
  return new RegExp(`^(?:[\\^~=v]|>=)?\\s*(${VERSION})`).exec(dependency.range)?.[1];
}
