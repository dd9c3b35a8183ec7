/**
 * The functions of the project: bundled as for a deploy, and run as on a platform.
 *
 * @module
 */
import { join } from "node:path";
import { formatPlace } from "../../lib/diagnostic.ts";
import {
  bundleFunctions,
  createFunctionHost,
  type FunctionHost,
  type FunctionHostOptions,
  functionProcessCommand,
  type OutboundFetch,
  type SealedFunction,
} from "../../runtime/mod.ts";

/** Time that running calls get when newer functions take over, in milliseconds. */
const DRAIN_MS = 5000;

/** The functions as they would be sent, or why they cannot be. */
export type BundledFunctions =
  | { readonly ok: true; readonly functions: readonly SealedFunction[] }
  | { readonly ok: false; readonly message: string };

export interface FunctionSettings {
  readonly deploymentId: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly cpuMs: number | undefined;
  readonly outbound: OutboundFetch;
  /** Performs requests to the local key-value store. */
  readonly kv: OutboundFetch;
  /** The environment of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: FunctionHostOptions["log"];
}

async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory === true;
}

/** Bundles `functions/` below a folder; `cacheDir` is for the tools of bundling. */
export async function bundleProject(home: string, cacheDir: string): Promise<BundledFunctions> {
  if (!await isFolder(join(home, "functions"))) return { ok: true, functions: [] };
  const result = await bundleFunctions(home, { cacheDir });
  if (result.ok) return result;
  const lines = result.problems.map(({ file, position, message }) =>
    `${formatPlace(file, position)}: ${message}`
  );
  return { ok: false, message: lines.join("\n") };
}

/** Makes the host of functions, which starts with the first call; none without functions. */
export function hostFunctions(
  functions: readonly SealedFunction[],
  { cpuMs, variables, env, ...settings }: FunctionSettings,
): FunctionHost | undefined {
  if (functions.length === 0) return undefined;
  return createFunctionHost({
    ...settings,
    env: variables,
    functions: functions.map(({ name, source }) => ({
      name,
      source: new TextDecoder().decode(source),
    })),
    ...(cpuMs === undefined ? {} : { limits: { cpuMs } }),
    spawn: functionProcessCommand({ env }),
  });
}

/** Lets running calls finish, then ends the processes. */
export async function closeFunctions(host: FunctionHost | undefined): Promise<void> {
  await host?.drain(DRAIN_MS);
}
