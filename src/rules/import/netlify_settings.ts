/** @module Finds equivalents of `netlify.toml` settings that are not rules. Performs no I/O. */
import * as z from "zod";
import type { PathStep } from "../../lib/diagnostic.ts";
import { parseToml } from "../../lib/toml.ts";

const BUILD: Readonly<Record<string, (value: string) => string>> = {
  command: (value) => `Set it in svc.toml: [build] command = ${value}`,
  publish: (value) => `Set it in svc.toml: [build] output_dirs = [${value}]`,
  base: () => "svc does not support a base folder. Deploy the folder: svc deploy <dir>",
  functions: () =>
    "svc functions are in functions/ and have a different format (docs/functions.md)",
  edge_functions: () =>
    "svc functions are in functions/ and have a different format (docs/functions.md)",
  ignore: () => "svc never skips builds. A deploy hook builds the branch that it names",
};

const TABLES: Readonly<Record<string, string>> = {
  plugins: "svc does not support build plugins. Run what you need in the build command",
  functions: "svc functions are in functions/ and have a different format (docs/functions.md)",
  edge_functions: "svc functions are in functions/, and rules call them (docs/functions.md)",
  dev: "Set it in svc.toml: [dev]",
  images: "List the hosts of remote images under [images] in svc.toml (docs/images.md)",
};

const isVariable = (path: readonly PathStep[]) =>
  path.at(-2) === "environment" && (path[0] === "build" || path[0] === "context");

/** Explains why a setting is not imported, and what to do instead. */
export function whereSvcHasIt(path: readonly PathStep[], value: unknown): string {
  const [table, key] = path;
  const name = String(path.at(-1));
  if (isVariable(path)) {
    const scope = path[0] === "build" ? "--all" : `--environment ${JSON.stringify(key)}`;
    return `Set the variable on the platform: svc env set ${name} ${scope}`;
  }
  if (table === "context") {
    return "All environments share these settings; only variables differ (svc env set)";
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

/** The settings in a `netlify.toml` for building a project. */
interface NetlifyBuild {
  readonly command: string | undefined;
  /** Path of the output folder. */
  readonly publish: string | undefined;
  /** Names of the environment variables that the file sets for builds. */
  readonly variables: readonly string[];
}

/** Reads the build settings from a `netlify.toml`. They are empty for an invalid file. */
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
