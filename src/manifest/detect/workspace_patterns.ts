/** @module Finds the folders of a package workspace from the patterns in its root. Pure. */
import { minimatch } from "minimatch";
import * as z from "zod";

/** Maximum number of patterns per workspace. */
const MAX_PATTERNS = 100;

const patterns = z.array(z.string().min(1).max(1024)).max(MAX_PATTERNS);
const packageWorkspaces = z.object({
  workspaces: z.union([
    patterns,
    z.object({ packages: patterns }).transform(({ packages }) => packages),
  ]),
});
const pnpmWorkspace = z.object({ packages: patterns });

function parsedOrNothing(parseText: () => unknown): unknown {
  try {
    return parseText();
  } catch {
    return undefined;
  }
}

/**
 * Returns the patterns in a root folder's pnpm-workspace.yaml and package.json. Returns `undefined`
 * if the folder is not the root of a workspace.
 */
export async function workspacePatterns(root: {
  readonly pnpmWorkspace: string | undefined;
  readonly packageJson: string | undefined;
}): Promise<readonly string[] | undefined> {
  if (root.pnpmWorkspace !== undefined) {
    // pnpm-workspace.yaml defines a workspace only if it lists packages.
    return await pnpmWorkspaceOf(root.pnpmWorkspace);
  }
  const { packageJson } = root;
  if (packageJson === undefined || !packageJson.includes('"workspaces"')) return undefined;
  const value = parsedOrNothing(() => JSON.parse(packageJson.replace(/^\ufeff/, "")));
  return packageWorkspaces.safeParse(value).data?.workspaces;
}

async function pnpmWorkspaceOf(text: string): Promise<readonly string[] | undefined> {
  // Few projects have such a file, so the parser is loaded only for them.
  const { parseYaml } = await import("./parse_yaml.ts");
  return pnpmWorkspace.safeParse(parsedOrNothing(() => parseYaml(text))).data?.packages;
}

const plain = (pattern: string) => pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");

/**
 * Returns whether a folder is part of the workspace. The folder's path is relative to the root,
 * with `/` as separator.
 */
export function isMember(folder: string, patterns: readonly string[]): boolean {
  let member = false;
  for (const pattern of patterns) {
    const excludes = pattern.startsWith("!");
    if (excludes === member && minimatch(folder, plain(excludes ? pattern.slice(1) : pattern))) {
      member = !excludes;
    }
  }
  return member;
}

/**
 * Returns the folders that can contain members. The paths contain no pattern characters. `.` is the
 * root itself.
 */
export function memberBases(patterns: readonly string[]): readonly string[] {
  const bases = patterns.filter((pattern) => !pattern.startsWith("!")).map((pattern) => {
    const parts = plain(pattern).split("/");
    const magic = parts.findIndex((part) => /[*?[{(!+@]/.test(part));
    return (magic === -1 ? parts : parts.slice(0, magic)).join("/") || ".";
  });
  return [...new Set(bases)];
}
