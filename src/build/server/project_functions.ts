/**
 * @module Compiles a project's functions for other platforms, so that the dev server can run them.
 */
import { join } from "node:path";
import type { ProjectConfig } from "../../config/project_config.ts";
import { sha256Hex } from "../../lib/hash.ts";
import {
  detectProject,
  findProjectFunctions,
  functionsLaunch,
  functionSources,
  isFunctionProject,
  type ProvidedFunctions,
  refuseFunctions,
} from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import type { BuildHost } from "../types.ts";
import { launchFiles } from "./launch_files.ts";
import { serverProblems } from "./server_problems.ts";

/** Functions that a single Node server handles. */
export interface RunnableFunctions extends Pick<ProvidedFunctions, "paths" | "timeoutMs"> {
  /** Absolute path of the module that Node starts, which is one of `modules`. */
  readonly entry: string;
  /** Source of modules that do not exist as files in the project, keyed by absolute path. */
  readonly modules: Readonly<Record<string, string>>;
  /** Patterns of URL paths that the functions handle if no file matches. */
  readonly withoutFile: readonly string[];
  /** A key that changes when the sources change. */
  readonly key: string;
  /** Settings without an equivalent in svc, each with its file and line. */
  readonly notes: readonly string[];
}

interface FunctionsPlace {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly config: ProjectConfig | undefined;
}

/**
 * Finds the functions that a deploy would serve. There are none if the project has a server that
 * runs them itself.
 */
export async function findFunctions(
  { directory, config }: FunctionsPlace,
): Promise<ProvidedFunctions | undefined> {
  if (config?.build.isStatic === true) return undefined;
  const reader = createFolderReader(directory);
  const provided = await findProjectFunctions(reader);
  if (provided === undefined) return undefined;
  const { framework, server } = await detectProject(reader);
  return server === undefined || isFunctionProject(framework?.id) ? provided : undefined;
}

/** Compiles TypeScript functions. Returns their code, keyed by the paths of their entries. */
async function compiled(
  { cacheDir }: Pick<BuildHost, "cacheDir">,
  directory: string,
  modules: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { compileServerEntry } = await import("../../runtime/mod.ts");
  const texts: Record<string, string> = {};
  for (const [from, to] of Object.entries(modules)) {
    const result = await compileServerEntry(join(directory, from), { cacheDir });
    if (!result.ok) throw serverProblems(from, result.problems);
    texts[to] = new TextDecoder().decode(result.source);
  }
  return texts;
}

/**
 * Reads the functions of a project. Returns `undefined` if a deploy would serve none.
 *
 * @throws {BuildError} if a deploy would reject them
 */
export async function readFunctions(
  host: Pick<BuildHost, "cacheDir">,
  place: FunctionsPlace,
): Promise<RunnableFunctions | undefined> {
  const { directory } = place;
  const provided = await findFunctions(place);
  if (provided === undefined) return undefined;
  const { refused, paths, rewrites, notes, timeoutMs } = provided;
  if (refused.length > 0) {
    const { message, hint } = refuseFunctions(refused);
    throw new BuildError("manifest_invalid", message, hint === undefined ? {} : { hint });
  }
  const { entry: first, launch, compiles } = functionsLaunch(provided);
  const { entry, contents } = launchFiles(first, launch);
  const texts: Record<string, string> = { ...await compiled(host, directory, compiles) };
  for (const { path, content } of contents) {
    if (typeof content !== "string") texts[path] = new TextDecoder().decode(content);
  }
  const sources = await functionSources(createFolderReader(directory), provided);
  return {
    entry: join(directory, entry),
    modules: Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [join(directory, path), text]),
    ),
    paths: [...new Set(paths)],
    withoutFile: rewrites.map(({ pattern }) => pattern),
    key: sha256Hex(JSON.stringify([texts, [...sources]])),
    notes,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
