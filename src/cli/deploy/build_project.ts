/**
 * From a project's folder to its output: which command builds it, and where
 * the output is.
 *
 * @module
 */
import { join, sep } from "node:path";
import type { Project } from "../../contract/mod.ts";
import { type DetectedProject, detectProject, findOutput } from "../../manifest/mod.ts";
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";
import { childVariables } from "../env/child_variables.ts";
import { formatCount } from "../format.ts";
import type { ProjectFolder } from "../project_folder.ts";
import { createFolderReader } from "./folder_reader.ts";
import { runBuild } from "./run_build.ts";

export interface BuildOptions {
  readonly folder: ProjectFolder;
  /** Settings of the platform's project, where it is known. */
  readonly project?: Project;
  /** Value of `--build-command`. */
  readonly buildCommand?: string | undefined;
  readonly skipBuild: boolean;
  /** Finds the variables of the environment that is built for, where one is known. */
  readonly variables?: () => Promise<Readonly<Record<string, string>>>;
}

export interface BuiltProject {
  /** The command that ran; `undefined` where there was none to run. */
  readonly command: string | undefined;
  readonly detected: DetectedProject;
  /** Absolute path of the output directory. */
  readonly output: string;
}

/** Flag, then `svc.toml`, then the platform's setting, then detection. */
function commandOf(options: BuildOptions, detected: DetectedProject): string | undefined {
  return options.buildCommand ?? options.folder.config?.build.command ??
    options.project?.buildCommand ?? detected.buildCommand;
}

/** Folders that a person or the platform named; where there are any, no others are tried. */
function configuredDirs({ folder, project }: BuildOptions): readonly string[] {
  const written = folder.config?.build.outputDirs ?? [];
  const setting = project?.outputDirectory ?? null;
  return written.length > 0 || setting === null ? written : [setting];
}

/** A folder of plain files is its own output only where no command has built anything. */
function detectedDirs(detected: DetectedProject, command: string | undefined): readonly string[] {
  const plain = detected.outputDirs.length === 1 && detected.outputDirs[0] === ".";
  return plain && command !== undefined ? [] : detected.outputDirs;
}

async function outputOf(
  options: BuildOptions,
  built: Pick<BuiltProject, "detected" | "command">,
): Promise<string> {
  const { directory } = options.folder;
  const found = await findOutput(createFolderReader(directory), {
    configured: configuredDirs(options),
    detected: detectedDirs(built.detected, built.command),
  });
  if (found.ok) {
    return await insideFolder(options.folder, join(directory, found.directory), found.directory);
  }
  throw new CliError("output_missing", found.message, { details: { tried: found.tried } });
}

/** A link must not lead out of the project's folder. */
async function insideFolder(
  folder: ProjectFolder,
  path: string,
  candidate: string,
): Promise<string> {
  const [root, real] = await Promise.all([
    Deno.realPath(folder.directory),
    Deno.realPath(path),
  ]);
  if (real === root || real.startsWith(root + sep)) return path;
  throw new CliError(
    "output_invalid",
    `Keep the output inside the project: ${candidate} leads to ${real}`,
  );
}

/** The variables that a build gets; those that steer which code runs are left out. */
async function buildVariables(
  ctx: Context,
  options: BuildOptions,
): Promise<Readonly<Record<string, string>>> {
  const variables = await options.variables?.() ?? {};
  const { env, heldBack } = childVariables({}, variables, []);
  const count = Object.keys(variables).length - heldBack.length;
  if (count > 0) ctx.ui.log("build", "info", `Building with ${formatCount(count, "variable")}`);
  return env;
}

/** Detects the project, runs its build command unless told not to, and finds the output. */
export async function buildProject(ctx: Context, options: BuildOptions): Promise<BuiltProject> {
  const detected = await detectProject(createFolderReader(options.folder.directory));
  const { framework } = detected;
  if (framework !== undefined) {
    const version = framework.version === undefined ? "" : ` ${framework.version}`;
    ctx.ui.log("detect", "info", `Detected ${framework.name}${version}`);
  }
  const command = options.skipBuild ? undefined : commandOf(options, detected);
  if (command !== undefined) {
    const variables = await buildVariables(ctx, options);
    await runBuild(ctx, { command, directory: options.folder.directory, variables });
  }
  return { command, detected, output: await outputOf(options, { command, detected }) };
}
