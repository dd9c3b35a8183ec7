/** @module Settings of a session that shares a backend. */

/** Parameters of a startup message that are not settings. */
const NO_SETTINGS: ReadonlySet<string> = new Set(["user", "database", "options", "replication"]);

export type Settings = ReadonlyMap<string, string>;

/**
 * Splits `-c name=value --name=value` the way the server does: a backslash escapes the next
 * character.
 */
function splitOptions(options: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < options.length; at++) {
    const character = options[at]!;
    if (character === "\\" && at + 1 < options.length) word = (word ?? "") + options[++at];
    else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  return word === undefined ? words : [...words, word];
}

/** Parses the settings in a startup message's `options`. The server rejects anything else. */
function readOptions(options: string): [string, string][] {
  const settings: [string, string][] = [];
  const words = splitOptions(options);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const text = word === "-c" ? words[++at] ?? "" : word.replace(/^-c|^--/, "");
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    settings.push([name.replaceAll("-", "_"), equals < 0 ? "" : text.slice(equals + 1)]);
  }
  return settings;
}

/** Returns the settings in a client's startup message. */
export function startupSettings(startup: ReadonlyMap<string, string>): Map<string, string> {
  const settings = new Map(readOptions(startup.get("options") ?? ""));
  for (const [name, value] of startup) {
    if (!NO_SETTINGS.has(name) && !name.startsWith("_pq_.")) settings.set(name, value);
  }
  return settings;
}

export function isSameSettings(one: Settings | undefined, other: Settings): boolean {
  if (one === other) return true;
  if (one?.size !== other.size) return false;
  for (const [name, value] of one) if (other.get(name) !== value) return false;
  return true;
}

/** Returns an SQL literal that is valid with any `standard_conforming_strings`. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return quoted.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Returns SQL that sets these settings in the backend, and resets all others to the server's
 * values.
 */
export function applySettings(settings: Settings): string {
  const calls = [...settings].map(([name, value]) =>
    `pg_catalog.set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, false)`
  );
  const reset = "RESET ALL; RESET ROLE";
  return calls.length === 0 ? reset : `${reset}; SELECT ${calls.join(", ")}`;
}

/** Settings that apply only within a transaction, that cannot be read, or that no client chose. */
const NOT_KEPT = /^(?:transaction_.*|seed|session_authorization)$/;

/** Returns SQL that shows settings, as rows of name and value. */
export function showSettings(names: readonly string[]): string {
  const kept = names.filter((name) => !NOT_KEPT.test(name)).map(quoteLiteral);
  return `SELECT name, pg_catalog.current_setting(name)
FROM pg_catalog.unnest(ARRAY[${kept.join(", ")}]::text[]) AS name`;
}
