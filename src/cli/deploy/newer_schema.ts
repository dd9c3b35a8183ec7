/**
 * @module Asks for confirmation before an older deployment goes live with a newer database schema.
 */
import type { Client } from "../../client/client.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { listDeployments } from "../../contract/deployments.ts";
import {
  NEWER_SCHEMA_LIMIT,
  newerMigrations,
  newerSchemaText,
} from "../../contract/newer_schema.ts";
import { declined } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

/**
 * Warns about migrations that stay applied, and asks the user at a terminal. Returns the IDs of the
 * deployments that applied them.
 *
 * @throws {CliError} `declined`
 */
export async function askOfNewerSchema(
  ctx: Context,
  client: Client,
  { project, to, phase }: {
    readonly project: string;
    readonly to: string | undefined;
    readonly phase: "rollback" | "deploy";
  },
): Promise<readonly string[]> {
  const { items } = await client.call(listDeployments, {
    params: { project },
    query: { environment: ENVIRONMENT_PRODUCTION, limit: NEWER_SCHEMA_LIMIT },
  });
  const newer = newerMigrations(items, to);
  if (newer.length === 0) return newer;
  ctx.ui.log(phase, "warn", newerSchemaText(newer.length));
  if (ctx.settings.yes || ctx.prompter === undefined) return newer;
  const message = "Serve the earlier deployment with the newer schema?";
  if (!await ctx.prompter.confirm({ message })) throw declined("Production did not change");
  return newer;
}
