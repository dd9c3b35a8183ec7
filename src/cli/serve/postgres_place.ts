/**
 * The server of databases, from the flag `--postgres` and `SVC_POSTGRES_URL`.
 *
 * @module
 */
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

const POSTGRES = /^postgres(?:ql)?:$/;

/** A flag is seen by every user of the machine, and so it cannot hold a password. */
export function postgresOf(
  flags: { readonly postgres?: string | undefined },
  { env }: Pick<Context, "env">,
): string | undefined {
  const given = flags.postgres ?? (env.SVC_POSTGRES_URL || undefined);
  if (given === undefined || given === "local") return given;
  const url = URL.parse(given);
  if (url === null || !POSTGRES.test(url.protocol)) {
    throw new CliError(
      "usage",
      "Give --postgres local, or an address that begins with postgres://",
    );
  }
  if (flags.postgres !== undefined && url.password !== "") {
    throw new CliError(
      "usage",
      "Give the address of the PostgreSQL server with its password in SVC_POSTGRES_URL: others " +
        "on this machine can read command lines",
    );
  }
  return given;
}
