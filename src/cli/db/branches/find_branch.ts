/** @module Finds a branch by name, and asks for confirmation before a branch's data is deleted. */
import type { Command } from "@commander-js/extra-typings";
import type { DatabaseBranch } from "../../../contract/database_branches.ts";
import { CliError, declined } from "../../errors/cli_error.ts";
import type { Context } from "../../session/context.ts";
import { printable } from "../../terminal/format.ts";
import { nearest } from "../../../lib/suggest.ts";
import { DATABASE_OPTION, listBranches, type OpenedDatabase } from "../open_database.ts";
import { PROJECT_OPTION } from "../../projects/resolve_project.ts";

/** Declares the options of a command that destroys a branch's data. */
export function takeBranch(command: Command) {
  return command
    .argument("<branch>", "name of the branch")
    .option("--force", "skip the confirmation")
    .option(...DATABASE_OPTION)
    .option(...PROJECT_OPTION);
}

/** Finds the branch with a given name or ID, or throws `not_found`. */
export async function findBranch(
  ctx: Context,
  { client, database }: OpenedDatabase,
  reference: string,
): Promise<DatabaseBranch> {
  const branches = await listBranches(client, database);
  const found = branches.find(({ name }) => name === reference) ??
    branches.find(({ id }) => id === reference);
  if (found !== undefined) return found;
  const names = branches.map(({ name }) => printable(name));
  const near = nearest(reference, names);
  throw new CliError(
    "not_found",
    `Database ${database.name} has no branch "${printable(reference)}"`,
    {
      hint: near === undefined ? `Available: ${names.join(", ")}` : `Did you mean ${near}?`,
      next: [ctx.lines.ofProject("db", "branches", "--database", database.name)],
    },
  );
}

/**
 * Asks the user for confirmation. Without a terminal, the command line itself counts as
 * confirmation.
 */
export async function confirmByPerson(
  ctx: Context,
  { force, question, no }: {
    readonly force: boolean | undefined;
    readonly question: string;
    /** The message to show after a "no". */
    readonly no: string;
  },
): Promise<void> {
  if (force === true || ctx.settings.yes || ctx.prompter === undefined) return;
  if (!await ctx.prompter.confirm({ message: question })) throw declined(no);
}
