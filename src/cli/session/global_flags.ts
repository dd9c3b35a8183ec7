/**
 * Facts about a run before its settings are checked; help needs only these.
 *
 * @module
 */

/** The platform's default URL. */
export const DEFAULT_API_URL = "http://localhost:8787";

/** Flags as the command line gives them. */
export interface GlobalFlags {
  readonly json?: true | undefined;
  readonly token?: string | undefined;
  readonly workspace?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly cwd?: string | undefined;
  readonly yes?: true | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** True if JSON output is asked for, before anything else is known to be valid. */
export function wantsJson(argv: readonly string[], env: Environment): boolean {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  return flags.includes("--json") || env.SVC_JSON === "1" || env.SVC_JSON === "true";
}
