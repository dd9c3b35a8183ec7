/** @module Describes how each part of a project will run. */
import type { Engine } from "../runtime_settings.ts";
import type { DetectedProject } from "./types.ts";

/** A server's engine, and the reason for it as a clause. */
export interface ServerEngine {
  readonly engine: Engine;
  readonly reason: string;
}

/** How each part of a project is served. */
export interface ProjectPlan {
  /** Folder whose files the edge serves, relative to the project, or `null` if there is none. */
  readonly files: string | null;
  readonly server: {
    /** Path of the server's entry relative to the project, or `null` if the build decides. */
    readonly entry: string | null;
    readonly engine: Engine;
    /** Why there is a server, as a clause. */
    readonly reason: string;
    /** Why this engine was chosen, as a clause. */
    readonly engineReason: string;
  } | null;
}

/**
 * Plans how a detected project is served. `engine` is the engine that the deployment uses for its
 * server, if it has one.
 */
export function planProject(
  { server, outputDirs }: DetectedProject,
  engine: ServerEngine | undefined,
): ProjectPlan {
  if (server === undefined || engine === undefined) {
    return { files: outputDirs[0] ?? null, server: null };
  }
  const { reason, layout } = server;
  return {
    files: layout?.files ?? null,
    server: {
      entry: layout?.entry ?? null,
      engine: engine.engine,
      reason,
      engineReason: engine.reason,
    },
  };
}

const ENGINES: Readonly<Record<Engine, string>> = {
  deno: "Deno",
  node: "Node.js",
  command: "the platform's own toolchain",
};

/**
 * Describes a program in another language in three lines: what it is, how it is built, and how it
 * is started. Returns `undefined` for any other project.
 */
export function describeProgram(
  { framework, server, startCommand }: DetectedProject,
  { command, start }: {
    /** The build command. */
    readonly command: string | undefined;
    /** The start command in svc.toml. */
    readonly start: string | undefined;
  },
): readonly string[] | undefined {
  if (startCommand === undefined || framework === undefined) return undefined;
  return [
    `${framework.name}: ${server?.reason ?? "a server"}`,
    `Build: ${command ?? "nothing to build"}`,
    `Start: ${start ?? startCommand}`,
  ];
}

/**
 * Describes a detected project and where each of its parts will run, unless something must change
 * first. Returns `undefined` if nothing was detected.
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
  const runs = `${entry} on ${ENGINES[server.engine]} (${server.engineReason})`;
  return files === null ? `${name}: ${runs}` : `${name}: ${folder} at the edge, ${runs}`;
}
