/** @module Predicts which engine a deploy will choose for a server. */
import type { ProjectConfig } from "../config/project_config.ts";
import type { DetectedProject } from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import { decideEngine, type EngineChoice, readProjectKind } from "./server/decide_engine.ts";

export interface ForetellOptions {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly config: ProjectConfig | undefined;
  readonly detected: DetectedProject;
}

/** Predicts the engine that a deploy will choose. Returns `undefined` if there is no server. */
export async function foretellEngine(
  { directory, config, detected: { server, startCommand } }: ForetellOptions,
): Promise<EngineChoice | undefined> {
  if (server === undefined) return undefined;
  return decideEngine({
    configured: config?.build.runtime,
    written: undefined,
    command: startCommand,
    forDeno: server.layout?.forDeno === true,
    isFound: true,
    ...await readProjectKind(createFolderReader(directory)),
    entry: undefined,
  });
}
