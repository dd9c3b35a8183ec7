/**
 * @module Global settings from flags and environment variables. Flags take precedence. No other
 * file checks these settings.
 */
import * as z from "zod";
import { CliError } from "../errors/cli_error.ts";
import type { Environment, GlobalFlags } from "./global_flags.ts";

const apiUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" &&
    url.username === "" && url.password === "";
}, "an http or https URL without a query, such as http://localhost:8787")
  .transform((text) => text.replace(/\/+$/, ""));

/** Values from files and from CI secrets often end with a newline. */
const token = z.string().trim().regex(
  /^[\x21-\x7e]{1,512}$/,
  "one word of printable ASCII characters",
);
const workspace = z.string().regex(
  /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  "a slug of up to 40 lowercase letters, digits and hyphens",
);
const switchValue = z.enum(["1", "true", "0", "false"], "1 or 0").transform((text) =>
  text === "1" || text === "true"
);

export interface Settings {
  readonly json: boolean;
  readonly token: string | undefined;
  readonly workspace: string | undefined;
  readonly workspaceSource: "flag" | "variable" | undefined;
  readonly apiUrl: string | undefined;
  /** Directory to run in, exactly as given. */
  readonly cwd: string | undefined;
  /** True to answer yes to every yes-or-no question. */
  readonly yes: boolean;
}

interface Source<T> {
  readonly schema: z.ZodType<T>;
  readonly flag: string;
  readonly variable: string;
  readonly given: string | undefined;
  readonly env: Environment;
  /** True if messages must not repeat the value. */
  readonly secret?: boolean;
}

/** Reads the flag's value, or else the variable's. An empty variable counts as not set. */
function read<T>(source: Source<T>): T | undefined {
  const fromEnvironment = source.env[source.variable];
  const value = source.given ?? (fromEnvironment === "" ? undefined : fromEnvironment);
  if (value === undefined) return undefined;
  const parsed = source.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const name = source.given === undefined ? source.variable : source.flag;
  const shown = source.secret === true ? "" : `, not ${JSON.stringify(value)}`;
  throw new CliError("usage", `Set ${name} to ${parsed.error.issues[0]?.message}${shown}`);
}

/**
 * Resolves the global settings. Throws a usage error for an invalid value. The error never contains
 * a token.
 */
export function resolveSettings(flags: GlobalFlags, env: Environment): Settings {
  const json = read({
    schema: switchValue,
    flag: "--json",
    variable: "SVC_JSON",
    given: flags.json === true ? "1" : undefined,
    env,
  });
  const workspaceSlug = read({
    schema: workspace,
    flag: "--workspace",
    variable: "SVC_WORKSPACE",
    given: flags.workspace,
    env,
  });
  return {
    json: json ?? false,
    token: read({
      schema: token,
      flag: "--token",
      variable: "SVC_TOKEN",
      given: flags.token,
      env,
      secret: true,
    }),
    workspace: workspaceSlug,
    workspaceSource: flags.workspace !== undefined
      ? "flag"
      : workspaceSlug === undefined
      ? undefined
      : "variable",
    apiUrl: read({
      schema: apiUrl,
      flag: "--api-url",
      variable: "SVC_API_URL",
      given: flags.apiUrl,
      env,
    }),
    cwd: flags.cwd,
    yes: flags.yes === true,
  };
}
