/** @module The settings of `svc serve` as flags, and from other sources. */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import {
  CONFIG_VARIABLE,
  defaultText,
  flagOf,
  foundOptions,
  type FoundSettings,
  type GivenSettings,
  GROUPS,
  readSettings,
  type Setting,
  SETTINGS,
  type SettingsFile,
  variableOf,
} from "../../settings/mod.ts";
import { asArgument } from "../command/option_values.ts";
import { readNamedFile } from "../command/read_value.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { dataFolder } from "../session/user_folders.ts";

/** Maximum size of a `serve.toml`, in bytes. */
const MAX_FILE = 256 * 1024;

function describe(setting: Setting): string {
  const usual = defaultText(setting);
  return setting.help + (setting.variable === undefined ? "" : ` (or ${variableOf(setting)})`) +
    (usual === undefined ? "" : ` (default: ${usual})`);
}

function optionOf(setting: Setting): Option {
  const { kind } = setting;
  const words = [flagOf(setting), kind.placeholder].filter((word) => word !== "");
  const option = new Option(words.join(" "), describe(setting));
  if (kind.placeholder === "") return option;
  if (kind.choices !== undefined) option.choices(kind.choices);
  if (setting.secret !== undefined) return option;
  const parse = asArgument((text: string): unknown => kind.parse(text));
  return option.argParser((text: string, previous: unknown) => {
    const value = parse(text);
    return Array.isArray(value) && Array.isArray(previous) ? [...previous, ...value] : value;
  });
}

/** Declares the flags for the named settings or, under their headings in help, for all settings. */
export function addSettingFlags(
  command: Command,
  names?: readonly string[],
): Command<[], OptionValues> {
  for (const { title, settings } of GROUPS) {
    for (const setting of settings as readonly Setting[]) {
      if (setting.flagless === true || names?.includes(setting.name) === false) continue;
      const option = optionOf(setting);
      command.addOption(names === undefined ? option.helpGroup(`${title}:`) : option);
    }
  }
  return command as unknown as Command<[], OptionValues>;
}

/** The long names of the most common flags. */
export const COMMON_FLAGS: ReadonlySet<string> = new Set(
  SETTINGS.filter(({ common }) => common).map(flagOf),
);

/** Returns the values of flags, keyed by the names of their settings. */
function flagValues(flags: OptionValues): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.map((setting) => {
    const { name } = setting;
    const option = new Option(`--${name}`);
    const given = flags[option.attributeName()];
    return [name, option.negate ? given === false || undefined : given];
  }));
}

async function readFile(ctx: Context, given: string): Promise<SettingsFile> {
  const path = ctx.path(given);
  const source = await readNamedFile(ctx, path, MAX_FILE);
  const { mode } = await Deno.stat(path);
  return { path, source, isPrivate: mode === null || (mode & 0o077) === 0 };
}

const problemsOf = (messages: readonly string[]) =>
  messages.map((message) => ({ path: "", message }));

function refuse(ctx: Context, file: SettingsFile | undefined, read: FoundSettings): void {
  const { inFile, others } = read;
  const [first] = others;
  if (file !== undefined && inFile.length > 0) {
    const shown = showPath(file.path, ctx);
    const count = inFile.length + others.length;
    throw new CliError(
      "config_invalid",
      `Cannot use the settings: ${count === 1 ? "one is invalid" : `${count} are invalid`}`,
      {
        found: { file: shown, source: file.source, diagnostics: inFile },
        excerpt: others,
        details: others.length === 0 ? undefined : { problems: problemsOf(others) },
      },
    );
  }
  if (first !== undefined) {
    throw new CliError("usage", first, {
      excerpt: others.slice(1),
      details: { problems: problemsOf(others) },
    });
  }
}

export interface ServeSettings extends Pick<FoundSettings, "found"> {
  /** The settings that were given, including the data directory. */
  readonly given: GivenSettings;
  /** Path of the file that `--config` names. */
  readonly configFile: string | undefined;
}

/**
 * Reads the settings from flags, variables and the file that `--config` names.
 *
 * @throws {CliError} with all problems in the file and the variables.
 */
export async function readServeSettings(ctx: Context, flags: OptionValues): Promise<ServeSettings> {
  const values = flagValues(flags);
  const config = values["config"] ?? (ctx.env[CONFIG_VARIABLE] || undefined);
  const file = config === undefined ? undefined : await readFile(ctx, String(config));
  const read = readSettings({
    flags: values,
    env: ctx.env,
    file,
    absolute: (path) => ctx.path(path),
  });
  refuse(ctx, file, read);
  const options = foundOptions(read);
  const dataDir = String(options["dataDir"] ?? dataFolder(ctx.env));
  return { found: read.found, given: { ...options, dataDir }, configFile: file?.path };
}
