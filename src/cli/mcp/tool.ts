/**
 * @module The interface through which tools work on a folder: command lines, files and variables.
 */
import * as z from "zod";
import {
  type Answer,
  chooseProject,
  defineTool,
  type Surroundings,
  type Tool,
  type ToolSpec,
} from "../../agents/tool.ts";

export interface CommandCall {
  /** Directory to run in. */
  readonly folder?: string | undefined;
  /** Bytes on stdin. */
  readonly stdin?: string;
}

/** The surroundings of a tool on the agent's machine. */
export interface FolderSurroundings extends Surroundings {
  /**
   * Runs an svc command line, and returns the JSON object that it prints.
   *
   * @throws {ToolFailure} if the command fails
   */
  svc(words: readonly string[], call?: CommandCall): Promise<Answer>;
  /** Returns a variable of the server's environment. */
  env(name: string): string | undefined;
  /**
   * Returns the text of a project file.
   *
   * @throws {ToolFailure} for any other file
   */
  readFile(path: string, folder: string | undefined): Promise<string>;
}

/** Input for tools that work on a folder of files. */
export const folderInput = {
  folder: z.string().max(4096).optional()
    .describe("The project's folder (default: the folder in which the server was started)"),
};

export function projectFlag(given: string | undefined, around: Surroundings): string[] {
  const project = chooseProject(given, around.project);
  return project === undefined ? [] : [`--project-id=${project}`];
}

export function defineFolderTool<Input extends z.ZodRawShape>(
  spec: ToolSpec<Input, FolderSurroundings>,
): Tool<FolderSurroundings> {
  return defineTool(spec);
}
