/**
 * Which command starts the project's dev server.
 *
 * @module
 */
import { detectDevCommand } from "../../dev/mod.ts";
import { nearest } from "../../lib/suggest.ts";
import { CliError } from "../errors/cli_error.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";

export interface CommandFlags {
  readonly alias?: string | undefined;
  readonly command?: string | undefined;
}

function aliased({ config }: ProjectFolder, alias: string): string {
  const aliases = config?.dev.aliases ?? new Map<string, string>();
  const command = aliases.get(alias);
  if (command !== undefined) return command;
  const names = [...aliases.keys()];
  const near = nearest(alias, names);
  const hint = near !== undefined
    ? `Did you mean ${near}?`
    : names.length > 0
    ? `Available: ${names.join(", ")}`
    : 'Add it to [dev.aliases], as name = "command"';
  throw new CliError("usage", `svc.toml has no alias "${alias}"`, { hint });
}

/**
 * The flags come before `svc.toml`, and that before what the project shows; `undefined`
 * for a project of files.
 *
 * @throws {CliError} where there is no such alias, or both flags are given
 */
export async function chooseCommand(
  folder: ProjectFolder,
  { alias, command }: CommandFlags,
  { inspected }: { readonly inspected: boolean },
): Promise<string | undefined> {
  if (alias !== undefined && command !== undefined) {
    throw new CliError("usage", "Use either --alias or --command");
  }
  if (command !== undefined) return command;
  if (alias !== undefined) return aliased(folder, alias);
  return folder.config?.dev.command ?? await detectDevCommand(folder.directory, { inspected });
}
