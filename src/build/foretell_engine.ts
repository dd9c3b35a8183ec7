/**
 * What a deploy will run the server of a project on, found by the same decision
 * without an installation or a build.
 *
 * @module
 */
import type { ProjectConfig } from "../config/mod.ts";
import type { DetectedProject } from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import { decideEngine, type EngineChoice, readProjectKind } from "./server/decide_engine.ts";

export interface ForetellOptions {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly config: ProjectConfig | undefined;
  readonly detected: DetectedProject;
}

/** Finds out what a deploy takes; `undefined` where there is no server. */
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
