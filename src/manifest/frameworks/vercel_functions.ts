/** @module Vercel functions: the modules in `api/`, and their settings in `vercel.json`. */
import * as z from "zod";
import { stripComments } from "./config_text.ts";
import {
  type Difference,
  differencesOf,
  FUNCTION_SCRIPT,
  lineWith,
  readFunctions,
} from "./function_files.ts";
import type { FunctionRewrite, ProvidedFunctions } from "./functions_types.ts";
import type { ProjectReader } from "./types.ts";
import { patternOfFile, patternOfPath } from "./url_pattern.ts";

const FOLDER = "api";
const CONFIG = "vercel.json";

/** Matches functions in other languages. */
const OTHER_LANGUAGE = /\.(?:py|go|rb|rs|php)$/;

/**
 * All paths below the folder belong to functions, so source files in the folder are never part of
 * the site.
 */
const PATHS = ["^/api(?:/.*)?$"];

const schema = z.object({
  functions: z.record(
    z.string(),
    z.object({
      maxDuration: z.number().positive().optional().catch(undefined),
      memory: z.number().positive().optional().catch(undefined),
      runtime: z.string().optional().catch(undefined),
    }),
  ).optional().catch(undefined),
  rewrites: z.array(z.object({ source: z.string(), destination: z.string() }))
    .optional().catch(undefined),
  crons: z.array(z.unknown()).optional().catch(undefined),
  regions: z.array(z.unknown()).optional().catch(undefined),
});

type Config = z.infer<typeof schema>;

const DIFFERENCES: readonly Difference[] = [
  {
    pattern: /\bruntime\s*[:=]\s*["'](?:edge|experimental-edge)["']/,
    says: 'uses the runtime "edge": svc runs it on Node',
  },
  {
    pattern: /["']@vercel\/edge-config["']/,
    says: "reads Edge Config, which svc does not provide: set Vercel's variable EDGE_CONFIG",
  },
  {
    pattern: /["']@vercel\/(?:kv|blob|postgres)["']/,
    says: "uses Vercel storage: set the variables that it needs",
  },
  {
    pattern: /\bgeolocation\s*\(|["']x-vercel-(?:ip|id)/,
    says: "reads headers that only Vercel sets",
  },
];

async function readConfig(project: ProjectReader): Promise<{ text: string; config: Config }> {
  const text = await project.readText(CONFIG) ?? "{}";
  try {
    return { text, config: schema.parse(JSON.parse(stripComments(text))) };
  } catch {
    return { text, config: {} };
  }
}

/** Returns the rewrites to functions. All other rewrites are converted to rules. */
function rewritesOf({ rewrites = [] }: Config): FunctionRewrite[] {
  return rewrites.flatMap(({ source, destination }) => {
    if (!/^\/api(?:\/|\?|$)/.test(destination)) return [];
    const pattern = patternOfPath(source);
    if (pattern === undefined) return [];
    const to = destination.split("?")[0]!.replace(/:(\w+)\*?/g, (whole, name) => {
      const at = pattern.parameters.findIndex((parameter) => parameter.name === name);
      return at === -1 ? whole : `$${at + 1}`;
    });
    return [{ ...pattern, to }];
  });
}

function limitsOf({ functions = {} }: Config) {
  const settings = Object.values(functions);
  const seconds = settings.flatMap(({ maxDuration }) => maxDuration ?? []);
  const memory = settings.flatMap(({ memory }) => memory ?? []);
  return {
    ...(seconds.length === 0 ? {} : { timeoutMs: Math.max(...seconds) * 1000 }),
    ...(memory.length === 0 ? {} : { memoryMb: Math.max(...memory) }),
  };
}

/** Lists the settings in `vercel.json` that have no equivalent in svc, with their line numbers. */
function notesOf({ crons = [], regions = [], functions = {} }: Config, text: string): string[] {
  const notes: string[] = [];
  const note = (key: string, says: string) =>
    notes.push(`${CONFIG}:${lineWith(text, new RegExp(`"${key}"`)) ?? 1} ${says}`);
  if (crons.length > 0) note("crons", "sets crons: move them to [[cron]] in svc.toml");
  if (regions.length > 0) {
    note("regions", "sets regions: svc runs functions where the platform runs");
  }
  if (Object.values(functions).some(({ runtime }) => runtime !== undefined)) {
    note("runtime", "sets function runtimes: svc runs functions on Node");
  }
  return notes;
}

/** Finds the functions in `api/`. Returns `undefined` if there are none. */
export async function findVercelFunctions(
  project: ProjectReader,
): Promise<ProvidedFunctions | undefined> {
  const files = await readFunctions(project, FOLDER);
  const refused = (await project.list?.(FOLDER) ?? [])
    .filter((path) => OTHER_LANGUAGE.test(path) && !/(?:^|\/)[_.]/.test(path))
    .map((path) => `${FOLDER}/${path}:1 is a function that is not JavaScript or TypeScript`);
  if (files.length === 0) return undefined;
  const { text, config } = await readConfig(project);
  return {
    functions: files.map(({ path, file }) => ({
      file,
      provider: "vercel",
      routes: [patternOfFile(`/${FOLDER}`, path.replace(FUNCTION_SCRIPT, ""))],
    })),
    paths: PATHS,
    rewrites: rewritesOf(config),
    ...limitsOf(config),
    notes: [
      ...files.flatMap((file) => differencesOf(file, DIFFERENCES)),
      ...notesOf(config, text),
    ],
    refused,
  };
}
