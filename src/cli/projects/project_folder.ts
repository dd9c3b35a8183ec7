/** @module The folder that a command works on, and its `svc.toml`. */
import { findProjectRoot } from "../../config/project_root.ts";
import { loadProjectConfig } from "../../config/load_project_config.ts";
import type { ProjectConfig } from "../../config/project_config.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { printableName } from "../terminal/format.ts";
import { hasErrors } from "../../lib/diagnostic.ts";

export interface ProjectFolder {
  /** Absolute path. */
  readonly directory: string;
  /** Absolute path of the folder's `svc.toml`, which may be missing. */
  readonly configPath: string;
  /** `undefined` if there is no `svc.toml`. */
  readonly config: ProjectConfig | undefined;
}

async function folderAt(directory: string, ctx: Context): Promise<ProjectFolder> {
  const loaded = await loadProjectConfig(directory);
  if (loaded.status === "invalid") {
    const errors = loaded.diagnostics.filter(({ severity }) => severity === "error").length;
    throw new CliError(
      "config_invalid",
      `Cannot use svc.toml: ${errors === 1 ? "it has an error" : `it has ${errors} errors`}`,
      {
        found: {
          file: showPath(loaded.path, ctx),
          source: loaded.source,
          diagnostics: hasErrors(loaded.diagnostics) ? loaded.diagnostics : [],
        },
      },
    );
  }
  return {
    directory,
    configPath: loaded.path,
    config: loaded.status === "found" ? loaded.config : undefined,
  };
}

async function assertDirectory(directory: string, given: string): Promise<void> {
  const found = await Deno.stat(directory).catch(() => undefined);
  if (found?.isDirectory !== true) {
    throw new CliError(
      "usage",
      `The directory "${printableName(given)}" does not exist`,
    );
  }
}

/**
 * Opens the named folder, or else the nearest one with a `svc.toml`, starting at the current folder
 * and going up.
 */
export async function openProjectFolder(
  ctx: Context,
  given?: string,
): Promise<ProjectFolder> {
  if (given !== undefined) {
    const directory = ctx.path(given);
    await assertDirectory(directory, given);
    return await folderAt(directory, ctx);
  }
  const home = ctx.env.HOME ?? ctx.env.USERPROFILE;
  const root = await findProjectRoot(ctx.cwd, home === undefined ? {} : { home });
  return await folderAt(root ?? ctx.cwd, ctx);
}
