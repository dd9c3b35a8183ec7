/** @module Declares the global flags, and reads `--json` before the settings are checked. */

/** The platform's default URL. */
export const DEFAULT_API_URL = "http://localhost:8787";

/** Global flags on the command line. */
export interface GlobalFlags {
  readonly json?: true | undefined;
  readonly token?: string | undefined;
  readonly workspace?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly cwd?: string | undefined;
  readonly yes?: true | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true if JSON output is requested. Also works for invalid command lines. */
export function wantsJson(argv: readonly string[], env: Environment): boolean {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  return flags.includes("--json") || env.SVC_JSON === "1" || env.SVC_JSON === "true";
}
