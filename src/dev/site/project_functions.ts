/** @module The functions of the project: bundled as for a deploy, and run as on a platform. */
import { join } from "node:path";
import { formatPlace } from "../../lib/diagnostic.ts";
import {
  bundleFunctions,
  createFunctionHost,
  type FunctionHost,
  type FunctionHostOptions,
  type FunctionLimits,
  type FunctionProblem,
  functionProcessCommand,
  type Inspector,
  type OutboundFetch,
  readInlineMap,
  type SealedFunction,
} from "../../runtime/mod.ts";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { readTextFile } from "../../lib/utf8.ts";

const mapSchema = z.looseObject({ sources: z.array(z.string()) });

/**
 * Adds a second source map before the inlined one, because the runtime removes the inlined one to
 * use it for stack traces. The second map contains the project's files by URL, with their text.
 */
async function debuggableSource(source: string, home: string): Promise<string> {
  const { data: map } = mapSchema.safeParse(JSON.parse(readInlineMap(source) ?? "null"));
  if (map === undefined) return source;
  const paths = map.sources.map((name) => join(home, name.replace(/^received:/, "")));
  const whole = {
    ...map,
    sources: paths.map((path) => pathToFileURL(path).href),
    sourcesContent: await Promise.all(paths.map((path) => readTextFile(path).catch(() => null))),
  };
  const comment = `//# sourceMappingURL=data:application/json,${
    encodeURIComponent(JSON.stringify(whole))
  }`;
  const end = source.lastIndexOf("\n//# sourceMappingURL=");
  return `${source.slice(0, end)}\n${comment}${source.slice(end)}`;
}

/** Time limit of a call under a debugger, in milliseconds. It is practically unlimited. */
const DEBUGGED_MS = 24 * 60 * 60_000;
const DEBUGGED_LIMITS: Partial<FunctionLimits> = {
  timeoutMs: DEBUGGED_MS,
  cpuMs: DEBUGGED_MS,
  waitUntilMs: DEBUGGED_MS,
  streamMs: DEBUGGED_MS,
  graceMs: DEBUGGED_MS,
  startMs: DEBUGGED_MS,
  idleMs: 0,
};

/** Time for running calls to finish when newer functions take over, in milliseconds. */
const DRAIN_MS = 5000;

/** The functions as they would be deployed, or the reason why they cannot be deployed. */
type BundledFunctions =
  | { readonly ok: true; readonly functions: readonly SealedFunction[] }
  | { readonly ok: false; readonly message: string; readonly problems: readonly FunctionProblem[] };

export interface FunctionSettings {
  readonly deploymentId: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly cpuMs: number | undefined;
  /** The inspector that the functions' process opens. */
  readonly inspector: Inspector | undefined;
  readonly outbound: OutboundFetch;
  /** Sends requests to the local key-value store. */
  readonly kv: OutboundFetch;
  /** The environment of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: FunctionHostOptions["log"];
}

async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory === true;
}

async function debuggable(sealed: SealedFunction, home: string): Promise<SealedFunction> {
  const source = await debuggableSource(new TextDecoder().decode(sealed.source), home);
  return { ...sealed, source: new TextEncoder().encode(source) };
}

/** Bundles `functions/` below a folder. The bundling tools use `cacheDir`. */
export async function bundleProject(
  home: string,
  { cacheDir, isDebugged }: { readonly cacheDir: string; readonly isDebugged: boolean },
): Promise<BundledFunctions> {
  if (!await isFolder(join(home, "functions"))) return { ok: true, functions: [] };
  const result = await bundleFunctions(home, { cacheDir });
  if (result.ok) {
    return isDebugged
      ? {
        ok: true,
        functions: await Promise.all(result.functions.map((each) => debuggable(each, home))),
      }
      : result;
  }
  const lines = result.problems.map(({ file, position, message }) =>
    `${formatPlace(file, position)}: ${message}`
  );
  return { ok: false, message: lines.join("\n"), problems: result.problems };
}

/**
 * Creates the host of the functions. The host starts at the first call. Returns `undefined` if
 * there are no functions.
 */
export function hostFunctions(
  functions: readonly SealedFunction[],
  { cpuMs, variables, env, inspector, ...settings }: FunctionSettings,
): FunctionHost | undefined {
  if (functions.length === 0) return undefined;
  return createFunctionHost({
    ...settings,
    env: variables,
    functions: functions.map(({ name, source }) => ({
      name,
      source: new TextDecoder().decode(source),
    })),
    ...(inspector !== undefined
      ? { limits: DEBUGGED_LIMITS }
      : cpuMs === undefined
      ? {}
      : { limits: { cpuMs } }),
    spawn: functionProcessCommand({ env, inspector }),
  });
}

/**
 * Lets running calls finish, then stops the processes. Aborts calls that are paused by a debugger.
 */
export async function closeFunctions(
  host: FunctionHost | undefined,
  { isDebugged }: { readonly isDebugged: boolean },
): Promise<void> {
  await (isDebugged ? host?.close() : host?.drain(DRAIN_MS));
}
