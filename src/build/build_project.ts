/** @module Finds a project's build command and its output. */
import { join, relative, resolve, sep } from "node:path";
import type { ProjectConfig } from "../config/project_config.ts";
import { childVariables } from "../lib/child_variables.ts";
import { formatCount } from "../lib/format.ts";
import {
  describeProgram,
  type DetectedProject,
  detectProject,
  findFramework,
  findOutput,
  findProjectSigns,
  refuseSigns,
  runScript,
} from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { createFolderReader } from "./folder_reader.ts";
import { wrongNode } from "./node_version.ts";
import { requireImageEngine } from "./image/require_engine.ts";
import { installPackages, planInstall } from "./packages/install_packages.ts";
import { provideManager } from "./packages/provide_manager.ts";
import { runCommand } from "./run_command.ts";
import type { BuildHost } from "./types.ts";
import { findToolchains } from "../toolchains/find_toolchains.ts";
import { TOOLCHAINS } from "../toolchains/toolchains.ts";
import { neededBy, readMembers } from "./workspace/members.ts";

/** Runs the build scripts of the packages that a workspace project needs, dependencies first. */
async function buildNeeded(
  host: BuildHost,
  { directory, detected, variables }: {
    /** Absolute path of the project's folder. */
    readonly directory: string;
    readonly detected: DetectedProject;
    readonly variables: () => Promise<Readonly<Record<string, string>>>;
  },
): Promise<void> {
  const { installsIn, packageManager } = detected;
  if (installsIn === "" || packageManager === undefined) return;
  const root = resolve(directory, installsIn);
  const members = await readMembers(root) ?? [];
  const path = relative(root, directory).replaceAll("\\", "/");
  const needed = neededBy(members, path).filter(({ scripts }) => scripts.has("build"));
  if (needed.length === 0) return;
  host.say(
    "build",
    "info",
    `First building ${formatCount(needed.length, "package")} that ${path} depends on: ` +
      needed.map((each) => each.path).join(", "),
  );
  for (const each of needed) {
    await runCommand(host, {
      phase: "build",
      command: runScript(packageManager, "build"),
      directory: join(root, each.path),
      variables: await variables(),
    });
  }
}

/**
 * Throws an error that names the missing toolchains and says how to install them.
 *
 * @throws {BuildError}
 */
async function requireToolchains(
  host: BuildHost,
  { framework, toolchains = [] }: DetectedProject,
): Promise<void> {
  if (toolchains.length === 0) return;
  const found = await findToolchains(host.env, toolchains);
  const missing = TOOLCHAINS.filter(({ id }) =>
    toolchains.includes(id) && !found.some(({ toolchain }) => toolchain.id === id)
  );
  for (const { toolchain, version } of found) {
    if (version !== undefined) host.say("detect", "info", `Found ${toolchain.name} ${version}`);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(" and ");
  throw new BuildError(
    "build_failed",
    `Cannot build this project in ${
      framework?.name ?? "another language"
    }: this machine has no ${names}`,
    {
      hint: `${missing.map(({ install }) => install).join(". ")}. ` +
        'Or set "build.command" in svc.toml to a command that does not need them',
      details: { toolchains: missing.map(({ id }) => id) },
    },
  );
}

/** The project's settings on the platform. Null or missing settings are detected instead. */
export interface BuildSettings {
  /** Used if the framework cannot be detected. */
  readonly framework?: string | null;
  readonly installCommand?: string | null;
  readonly buildCommand?: string | null;
  /** Path relative to the project. */
  readonly outputDirectory?: string | null;
  /** Version of Node, such as `24`. */
  readonly nodeVersion?: string | null;
}

export interface BuildOptions {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  /** The project's `svc.toml`, which overrides the settings. */
  readonly config: ProjectConfig | undefined;
  readonly settings?: BuildSettings;
  /** Build command that overrides all others. */
  readonly buildCommand?: string | undefined;
  /** ID of the framework to use instead of the detected one. */
  readonly framework?: string | undefined;
  /** True to use the existing output instead of running the build command. */
  readonly skipBuild?: boolean;
  /** Fetches the variables of the target environment. Called only if a command runs. */
  readonly variables?: () => Promise<Readonly<Record<string, string>>>;
}

export interface BuiltProject {
  /** The command that ran, or `undefined` if there was none. */
  readonly command: string | undefined;
  readonly detected: DetectedProject;
  /** Absolute path of the output directory. */
  readonly output: string;
  /** Whether the folder was set explicitly. Otherwise, svc found it. */
  readonly isNamed: boolean;
}

/**
 * Returns the given command, then the one in `svc.toml`, then the platform's setting, then the
 * detected one.
 */
function commandOf(options: BuildOptions, detected: DetectedProject): string | undefined {
  return options.buildCommand ?? options.config?.build.command ??
    options.settings?.buildCommand ?? detected.buildCommand;
}

/**
 * Returns the output folders that are set in svc.toml or on the platform. If there are any, no
 * other folders are tried.
 */
function configuredDirs({ config, settings }: BuildOptions): readonly string[] {
  const written = config?.build.outputDirs ?? [];
  const setting = settings?.outputDirectory ?? null;
  return written.length > 0 || setting === null ? written : [setting];
}

/**
 * Returns the detected output folders. If nothing was built, a folder of plain files is itself the
 * output.
 */
function detectedDirs(detected: DetectedProject, command: string | undefined): readonly string[] {
  if (detected.server !== undefined) return detected.outputDirs;
  const plain = detected.outputDirs.length === 1 && detected.outputDirs[0] === ".";
  return plain && command !== undefined ? [] : detected.outputDirs;
}

/**
 * Finds the output folder.
 *
 * @throws {BuildError} if no folder has an output, or the output is outside the project
 */
async function findOutputFolder(
  options: BuildOptions,
  built: Pick<BuiltProject, "detected" | "command">,
): Promise<string> {
  const { directory } = options;
  const found = await findOutput(createFolderReader(directory), {
    configured: configuredDirs(options),
    detected: detectedDirs(built.detected, built.command),
    hasServer: built.detected.server !== undefined,
  });
  if (found.ok) {
    return await insideFolder(directory, join(directory, found.directory), found.directory);
  }
  const { advice } = built.detected;
  if (advice === undefined) await refuseServers(options);
  throw new BuildError("output_missing", found.message, {
    details: { tried: found.tried },
    ...(advice === undefined ? {} : { hint: `${advice.message}. ${advice.hint}` }),
  });
}

/**
 * Rejects a project that looks like a server that svc cannot run, unless svc.toml sets `static`.
 */
async function refuseServers({ directory, config }: BuildOptions): Promise<void> {
  if (config?.build.isStatic === true) return;
  const signs = await findProjectSigns(createFolderReader(directory));
  if (signs.length === 0) return;
  const { message, hint, details } = refuseSigns(signs);
  throw new BuildError("server_invalid", message, {
    hint,
    details,
  });
}

/** Rejects a link that points outside the project's folder. */
async function insideFolder(directory: string, path: string, candidate: string): Promise<string> {
  const [root, real] = await Promise.all([Deno.realPath(directory), Deno.realPath(path)]);
  if (real === root || real.startsWith(root + sep)) return path;
  throw new BuildError(
    "output_invalid",
    `Keep the output inside the project: ${candidate} links to ${real}`,
  );
}

/** Returns the framework's variables that are not set yet. */
function frameworkVariables(host: BuildHost, { framework }: DetectedProject) {
  const { buildVariables = {}, pageIdVariable } = findFramework(framework?.id) ?? {};
  const own = Object.entries({
    ...buildVariables,
    ...(pageIdVariable === undefined ? {} : { [pageIdVariable]: crypto.randomUUID() }),
  });
  return Object.fromEntries(own.filter(([name]) => host.env[name] === undefined));
}

/**
 * Returns the variables for a build: first the framework's, then the project's. Variables that
 * select code to run are left out.
 */
async function buildVariables(
  host: BuildHost,
  options: BuildOptions,
  detected: DetectedProject,
): Promise<Readonly<Record<string, string>>> {
  const variables = await options.variables?.() ?? {};
  const { env, heldBack } = childVariables({}, variables, []);
  const count = Object.keys(variables).length - heldBack.length;
  if (count > 0) host.say("build", "info", `Building with ${formatCount(count, "variable")}`);
  return { ...frameworkVariables(host, detected), ...env };
}

/**
 * Describes a project with a start command in svc.toml. Such a project, in any language, is
 * deployed unchanged.
 */
function asProgram(detected: DetectedProject, config: ProjectConfig | undefined): DetectedProject {
  const { server } = detected;
  if (config?.build.runtime !== "command" || server !== undefined) return detected;
  return {
    ...detected,
    outputDirs: ["."],
    server: { reason: "svc.toml sets build.runtime" },
    advice: undefined,
  };
}

/**
 * Returns whether svc may build a Dockerfile's image: true unless a setting says how to build the
 * project.
 */
const mayBuildImage = (
  { config, settings, buildCommand }: BuildOptions,
): boolean =>
  config?.build.runtime === undefined &&
  config?.build.command === undefined && (config?.build.outputDirs ?? []).length === 0 &&
  (buildCommand ?? settings?.buildCommand ?? settings?.outputDirectory ?? null) === null;

async function detect(host: BuildHost, options: BuildOptions): Promise<DetectedProject> {
  const reader = createFolderReader(options.directory);
  const isStatic = options.config?.build.isStatic === true;
  const images = mayBuildImage(options);
  const own = await detectProject(reader, { framework: options.framework, isStatic, images });
  const found = own.framework === undefined
    ? await detectProject(reader, { framework: options.settings?.framework, isStatic, images })
    : own;
  const detected = asProgram(found, options.config);
  const { framework, advice } = detected;
  if (framework !== undefined && detected.startCommand === undefined) {
    const version = framework.version === undefined ? "" : ` ${framework.version}`;
    host.say("detect", "info", `Detected ${framework.name}${version}`);
  }
  if (advice !== undefined) host.say("detect", "warn", `${advice.message}. ${advice.hint}`);
  return detected;
}

/** Requests the variables once, and only before a command runs. */
function onceAsked(host: BuildHost, options: BuildOptions, detected: DetectedProject) {
  let asked: ReturnType<typeof buildVariables> | undefined;
  return () => asked ??= buildVariables(host, options, detected);
}

/** Returns whether the build command was set explicitly and is not the detected one. */
function isWritten({ buildCommand, config, settings }: BuildOptions, detected: DetectedProject) {
  const written = buildCommand ?? config?.build.command ?? settings?.buildCommand ?? null;
  return written !== null && written !== detected.buildCommand;
}

/**
 * Shows how a program in another language will be built and started, before any of its code runs.
 */
function showCommands(
  host: BuildHost,
  { config }: BuildOptions,
  { command, detected }: Pick<BuiltProject, "command" | "detected">,
): void {
  const lines = describeProgram(detected, { command, start: config?.server.command }) ?? [];
  for (const line of lines) host.say("detect", "info", line);
}

/**
 * Installs missing packages, and runs the build command, if any. Workspace dependencies are built
 * first, unless the command was set explicitly, because such a command may build them itself.
 */
async function runBuild(
  host: BuildHost,
  options: BuildOptions,
  { command, detected }: Pick<BuiltProject, "command" | "detected">,
): Promise<void> {
  const { directory, settings } = options;
  const install = await planInstall({
    directory,
    detected,
    setting: settings?.installCommand,
    builds: command !== undefined,
  });
  const commands = [install?.command, command].filter((each) => each !== undefined);
  showCommands(host, options, { command, detected });
  if (commands.length === 0) return;
  await requireImageEngine(host, detected);
  if (!isWritten(options, detected)) await requireToolchains(host, detected);
  const variables = onceAsked(host, options, detected);
  const equipped = await provideManager(host, { directory, detected, commands });
  if (install !== undefined) {
    await installPackages(equipped, { directory, detected, install, variables });
  }
  if (command === undefined) return;
  if (!isWritten(options, detected)) {
    await buildNeeded(equipped, { directory, detected, variables });
  }
  await runCommand(equipped, {
    phase: "build",
    command,
    directory,
    variables: await variables(),
    suspect: async () => {
      const { advice } = detected;
      if (advice !== undefined) return `${advice.message}. ${advice.hint}`;
      return await wrongNode(equipped, { directory, detected });
    },
  });
}

/**
 * Detects the project, installs missing packages, runs the build command unless that is disabled,
 * and finds the output.
 */
export async function buildProject(host: BuildHost, options: BuildOptions): Promise<BuiltProject> {
  const detected = await detect(host, options);
  const command = options.skipBuild === true ? undefined : commandOf(options, detected);
  if (options.skipBuild === true) await requireImageEngine(host, detected);
  else await runBuild(host, options, { command, detected });
  const output = await findOutputFolder(options, { command, detected });
  return { command, detected, output, isNamed: configuredDirs(options).length > 0 };
}
