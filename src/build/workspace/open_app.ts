/**
 * @module Finds the folders for deploying a workspace: the app's folder, and the folder with its
 * settings.
 */
import { join } from "node:path";
import { loadProjectConfig } from "../../config/load_project_config.ts";
import { PROJECT_CONFIG_FILE } from "../../config/project_root.ts";
import type { ProjectConfig } from "../../config/project_config.ts";
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import type { BuildOptions } from "../build_project.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import { RULES_FILE } from "../read_rules_file.ts";
import type { BuildHost } from "../types.ts";
import { chooseApp } from "./choose_app.ts";

interface OpenedApp {
  /** Absolute path of the folder to build. */
  readonly directory: string;
  /** Absolute path of the folder with the rules and functions. */
  readonly home: string;
  readonly config: ProjectConfig | undefined;
}

interface OpenOptions extends BuildOptions {
  readonly standing?: string | undefined;
}

/** Returns true if the build was configured explicitly for the named folder itself. */
function isSettled({ config, settings, ...options }: OpenOptions): boolean {
  return [
    options.buildCommand,
    options.framework,
    config?.build.command,
    config?.build.outputDirs[0],
    settings?.buildCommand,
    settings?.outputDirectory,
  ].some((each) => typeof each === "string");
}

async function configOf(directory: string, path: string): Promise<ProjectConfig | undefined> {
  const loaded = await loadProjectConfig(directory);
  if (loaded.status === "missing") return undefined;
  if (loaded.status === "found") return loaded.config;
  const { diagnostics, source } = loaded;
  const found = {
    file: join(path, PROJECT_CONFIG_FILE),
    source,
  };
  const lines = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, found));
  throw new BuildError("build_failed", `Fix svc.toml in ${path}\n${lines.join("\n")}`);
}

/**
 * Returns the project itself, or the selected app of a workspace. The app's own `svc.toml`, rules
 * and functions take precedence over the workspace's.
 *
 * @throws {BuildError} if the workspace has several apps, or its `svc.toml` is invalid.
 */
export async function openApp(host: BuildHost, options: OpenOptions): Promise<OpenedApp> {
  const { directory: named, config, standing } = options;
  const same = { directory: named, home: named, config };
  if (isSettled(options)) return same;
  const directory = await chooseApp(host, { directory: named, standing });
  if (directory === named) return same;
  const own = await configOf(directory, host.showPath(directory));
  const reader = createFolderReader(directory);
  const isHome = own !== undefined || await reader.exists(RULES_FILE) ||
    await reader.isDirectory("functions");
  return { directory, home: isHome ? directory : named, config: own ?? config };
}
