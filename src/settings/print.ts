/** @module Writes settings as a `serve.toml`. */
import type { TomlValue } from "./kinds.ts";
import { type FoundSettings, isSecret } from "./read.ts";
import { GROUPS, isAction, type Setting, variableOf } from "./table.ts";

const quote = (text: string): string => JSON.stringify(text).replaceAll("\x7f", "\\u007F");

function toToml(value: TomlValue): string {
  if (typeof value === "string") return quote(value);
  return typeof value === "object" ? `[${value.map(quote).join(", ")}]` : String(value);
}

/** Returns a setting's line, which is commented out if the setting has no value. */
function line(setting: Setting, found: FoundSettings["found"]): string {
  const { name, kind } = setting;
  const given = found.get(name);
  if (given !== undefined && isSecret(setting, given.value)) {
    return `# ${name} is set by ${given.from}`;
  }
  if (given !== undefined) return `${name} = ${toToml(kind.write(given.value))} # ${given.from}`;
  if (setting.default !== undefined) {
    return `# ${name} = ${toToml(kind.write(setting.default))} # default`;
  }
  return `# ${name} = # default: ${defaultText(setting) ?? "none"}`;
}

/** Describes a setting's default in readable form. Returns `undefined` if there is none. */
export function defaultText(setting: Setting): string | undefined {
  const { kind, usual } = setting;
  if (usual !== undefined) return usual;
  if (setting.default === undefined || setting.default === false) return undefined;
  const value = kind.write(setting.default);
  return typeof value === "object" && value.length === 0 ? undefined : String(value);
}

/**
 * Prints all settings with their values and sources, as a file with the same effect. Secrets are
 * listed without their values.
 */
export function printSettings({ found }: Pick<FoundSettings, "found">): string {
  const groups = GROUPS.map(({ title, settings }) => ({
    title,
    settings: settings.filter((setting: Setting) => !isAction(setting)) as readonly Setting[],
  }));
  return groups.filter(({ settings }) => settings.length > 0).map(({ title, settings }) =>
    [
      `# ${title}`,
      ...settings.flatMap((setting) => [
        "",
        `# ${setting.help} (${variableOf(setting)})`,
        line(setting, found),
      ]),
    ].join("\n")
  ).join("\n\n") + "\n";
}
