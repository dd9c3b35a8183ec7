/**
 * What a deploy will run the server of a project on, found by the same decision,
 * as far as the project shows it without an installation or a build.
 *
 * @module
 */
import type { ProjectConfig } from "../config/mod.ts";
import type { DetectedProject } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { findOutputFolder } from "./build_project.ts";
import { planInstall } from "./packages/install_packages.ts";
import { describeServers } from "./prepare_output.ts";
import { type EngineChoice, wishedEngine } from "./server/decide_engine.ts";
import { decideServer } from "./server/prepare_servers.ts";
import type { BuildHost } from "./types.ts";

export interface ForetellOptions {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly config: ProjectConfig | undefined;
  readonly detected: DetectedProject;
  /** Folder for esbuild's binary. */
  readonly cacheDir: string;
  readonly signal: AbortSignal;
}

/** A host that says nothing: what is wrong with the project is for its deploy to report. */
function silentHost({ cacheDir, signal }: ForetellOptions): BuildHost {
  return {
    say: () => {},
    warn: () => {},
    output: () => ({ write: () => {}, end: () => {} }),
    showPath: (path) => path,
    ...{ cacheDir, signal, toolsDir: cacheDir, env: {} },
  };
}

/** What bundling the server that is there now decides. */
async function tryBundle(options: ForetellOptions): Promise<EngineChoice | undefined> {
  const { directory, config, detected } = options;
  const host = silentHost(options);
  const output = await findOutputFolder({ directory, config }, { detected, command: undefined });
  const facts = await describeServers(host, {
    output,
    projectRoot: directory,
    detected,
    settings: config?.build ?? {},
  });
  const layer = facts.manifest.layers.find((each) => each.target === "COMPUTE");
  if (layer === undefined) return undefined;
  const decided = await decideServer(host, layer, facts);
  const { engine, reason } = decided;
  return decided.engine === "deno" && !decided.made.result.ok ? undefined : { engine, reason };
}

/**
 * Finds out what a deploy takes; `undefined` where there is no server, or where the
 * packages or the build that decide are not there yet.
 */
export async function foretellEngine(options: ForetellOptions): Promise<EngineChoice | undefined> {
  const { directory, config, detected } = options;
  if (detected.server === undefined) return undefined;
  const { layout } = detected.server;
  const wish = wishedEngine({
    configured: config?.build.runtime,
    written: undefined,
    framework: layout?.node,
    forDeno: layout?.forDeno === true,
  });
  if (wish !== undefined) return wish;
  const builds = detected.buildCommand !== undefined;
  const install = await planInstall({ directory, detected, setting: undefined, builds });
  if (install !== undefined) return undefined;
  try {
    return await tryBundle(options);
  } catch (error) {
    if (error instanceof BuildError) return undefined;
    throw error;
  }
}
