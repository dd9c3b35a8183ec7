/**
 * Equivalents of `netlify.toml` settings that are not rules. Pure.
 *
 * @module
 */
import * as z from "zod";
import type { PathStep } from "../../lib/diagnostic.ts";
import { parseToml } from "../../lib/toml.ts";

const BUILD: Readonly<Record<string, (value: string) => string>> = {
  command: (value) => `svc.toml has it: [build] command = ${value}`,
  publish: (value) => `svc.toml has it: [build] output_dirs = [${value}]`,
  base: () => "There is no base folder: deploy that folder, svc deploy <dir>",
  functions: () =>
    "Functions lie in functions/, and are modules of another shape (docs/functions.md)",
  edge_functions: () =>
    "Functions lie in functions/, and are modules of another shape (docs/functions.md)",
  ignore: () => "Builds are never skipped: a deploy hook decides for which branch it builds",
};

const TABLES: Readonly<Record<string, string>> = {
  plugins: "Plugins of a build do not run: call what it needs in the build command",
  functions: "Functions lie in functions/, and are modules of another shape (docs/functions.md)",
  edge_functions: "Functions lie in functions/, and rules say where they run (docs/functions.md)",
  dev: "svc.toml has its own table [dev]",
  images: "Hosts of remote images are in [images] of svc.toml (docs/images.md)",
};

const isVariable = (path: readonly PathStep[]) =>
  path.at(-2) === "environment" && (path[0] === "build" || path[0] === "context");

/** Why a setting is not imported, with what to do instead. */
export function whereSvcHasIt(path: readonly PathStep[], value: unknown): string {
  const [table, key] = path;
  const name = String(path.at(-1));
  if (isVariable(path)) {
    const scope = path[0] === "build" ? "--all" : `--environment ${JSON.stringify(key)}`;
    return `Set the variable on the platform: svc env set ${name} ${scope}`;
  }
  if (table === "context") {
    return "Settings are the same in all environments: only variables differ (svc env set)";
  }
  const build = table === "build" && path.length === 2 && Object.hasOwn(BUILD, name)
    ? BUILD[name]
    : undefined;
  return build?.(JSON.stringify(value)) ??
    (Object.hasOwn(TABLES, String(table))
      ? TABLES[String(table)]!
      : `The setting "${path.join(".")}" has no equivalent`);
}

const settingsSchema = z.object({
  build: z.object({
    command: z.string().optional(),
    publish: z.string().optional(),
    environment: z.record(z.string(), z.unknown()).default({}),
  }).optional(),
});

/** How a `netlify.toml` builds a project. */
export interface NetlifyBuild {
  readonly command: string | undefined;
  /** Folder of the output. */
  readonly publish: string | undefined;
  /** Names of the variables that it sets for builds. */
  readonly variables: readonly string[];
}

/** Reads the build settings of a `netlify.toml`; those of a broken file are none. */
export function readNetlifyBuild(text: string): NetlifyBuild {
  const parsed = parseToml(text.replace(/^\uFEFF/, ""), { maxBytes: 1024 * 1024, maxDepth: 32 });
  const read = parsed.ok ? settingsSchema.safeParse(parsed.document.value) : undefined;
  const build = read?.data?.build;
  return {
    command: build?.command,
    publish: build?.publish,
    variables: Object.keys(build?.environment ?? {}),
  };
}
