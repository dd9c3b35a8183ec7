/**
 * What of a project will run where, in words.
 *
 * @module
 */
import type { Engine } from "../runtime_settings.ts";
import type { DetectedProject } from "./types.ts";

/** What of a project will run where; the deploy has the last word on the engine. */
export interface ProjectPlan {
  /** Folder whose files the edge serves, relative to the project; `null` where there is none. */
  readonly files: string | null;
  readonly server: {
    /** Path of its entry, relative to the project; `null` where the build decides. */
    readonly entry: string | null;
    readonly engine: Engine;
    /** Why there is a server, as a clause. */
    readonly reason: string;
    /** Why it runs on that engine, as a clause; missing where it is the usual one. */
    readonly engineReason?: string;
  } | null;
}

/** Plans a project by what was detected; `configured` is `[build] runtime` of svc.toml. */
export function planProject(detected: DetectedProject, configured?: Engine): ProjectPlan {
  const { server, outputDirs } = detected;
  if (server === undefined) return { files: outputDirs[0] ?? null, server: null };
  const { reason, layout } = server;
  const engineReason = configured === undefined ? layout?.node : "svc.toml sets build.runtime";
  return {
    files: layout?.files ?? null,
    server: {
      entry: layout?.entry ?? null,
      engine: configured ?? (layout?.node === undefined ? "deno" : "node"),
      reason,
      ...(engineReason === undefined ? {} : { engineReason }),
    },
  };
}

const ENGINES: Readonly<Record<Engine, string>> = { deno: "Deno", node: "Node.js" };

/**
 * Names what was found, and what of it will run where, unless something must change
 * first; `undefined` where nothing was found.
 */
export function describeProject(
  { framework, advice }: DetectedProject,
  { files, server }: ProjectPlan,
): string | undefined {
  if (framework === undefined) return undefined;
  const name = framework.version === undefined
    ? framework.name
    : `${framework.name} ${framework.version}`;
  if (advice !== undefined) return name;
  const folder = files === "." || files === null ? "files" : `files from ${files}`;
  if (server === null) return `${name}: ${folder} at the edge`;
  const entry = server.entry === null ? "server" : `server ${server.entry}`;
  const why = server.engineReason === undefined ? "" : ` (${server.engineReason})`;
  const runs = `${entry} on ${ENGINES[server.engine]}${why}`;
  return files === null ? `${name}: ${runs}` : `${name}: ${folder} at the edge, ${runs}`;
}
