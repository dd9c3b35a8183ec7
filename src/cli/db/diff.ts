import { diffDatabaseBranch, type SchemaChange } from "../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { readGitFacts } from "../projects/git_facts.ts";
import { findBranch } from "./branches/find_branch.ts";
import {
  DATABASE_OPTION,
  listBranches,
  openDatabase,
  type OpenedDatabase,
} from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

const MARKS = { added: "+", removed: "-", changed: "~" } as const;

/** Formats a definition on one line. */
const inLine = (definition: string): string => printable(definition.replace(/\s+/g, " ").trim());

/**
 * Returns false for functions and views, because their source is too long to be useful on one line.
 */
const isShown = ({ kind }: SchemaChange): boolean => kind !== "function" && kind !== "view";

function linesOf(change: SchemaChange, { colors }: Context["ui"]): readonly string[] {
  const { kind, name, from, to } = change;
  const color = { added: colors.green, removed: colors.red, changed: colors.yellow }[change.change];
  const title = `${MARKS[change.change]} ${kind} ${printable(name)}`;
  if (!isShown(change)) return [color(title)];
  const definition = inLine(to ?? from ?? "");
  if (change.change !== "changed") {
    return [color(definition === "" ? title : `${title}  ${definition}`)];
  }
  return [color(`${title}  ${definition}`), colors.dim(`    was ${inLine(from ?? "")}`)];
}

/**
 * Chooses the named branch, the branch for previews of the current git branch, or the only branch
 * other than `main`.
 */
async function settleBranch(
  ctx: Context,
  opened: OpenedDatabase,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return (await findBranch(ctx, opened, given)).name;
  const others = (await listBranches(opened.client, opened.database))
    .map(({ name }) => name).filter((name) => name !== MAIN_BRANCH);
  const { branch: git } = await readGitFacts(ctx.cwd, ctx.env);
  const preview = others.find((name) => name === `preview/${git}`);
  if (preview !== undefined) return preview;
  const [only] = others;
  if (only !== undefined && others.length === 1) return only;
  const names = others.map(printable).join(", ");
  throw new CliError(
    "usage",
    only === undefined
      ? `Database ${opened.database.name} has no branch other than ${MAIN_BRANCH}`
      : `Pass the name of a branch: ${names}`,
  );
}

export default defineCommand({
  description:
    "Lists tables, columns, indexes, constraints, functions, views, sequences, triggers and " +
    "enum types that exist in only one of the two (+, -) or differ (~). If you pass no name, " +
    "it compares the preview branch of your git branch (preview/<git branch>), or the only " +
    "branch other than main.",
  define: (command) =>
    command
      .argument("[branch]", "name of the branch")
      .option("--against <branch>", "branch to compare with", MAIN_BRANCH)
      .option(...DATABASE_OPTION)
      .option(...PROJECT_OPTION),
  offers: { branch: "database-branch" },
  examples: [
    ["db diff preview/cart", "show what the preview of the git branch cart changed"],
    ["db diff staging --against preview/cart", "compare two branches"],
  ],
  async run({ args: [given], flags }, ctx) {
    const opened = await openDatabase(ctx, flags);
    const branch = await settleBranch(ctx, opened, given);
    const { client, database, params } = opened;
    const diff = await client.call(diffDatabaseBranch, {
      params: { ...params, branch },
      query: { against: flags.against },
    });
    const { changes, truncated } = diff;
    const lines = changes.flatMap((change) => linesOf(change, ctx.ui));
    if (truncated) {
      lines.push(`Results truncated: there are more than ${changes.length} differences`);
    }
    const equal = `The schemas of ${printable(branch)} and ${printable(flags.against)} are equal`;
    ctx.ui.note(
      changes.length === 0
        ? equal
        : `${formatCount(changes.length, "difference")} from ${printable(flags.against)} to ${
          printable(branch)
        }`,
    );
    ctx.ui.result({ database: database.name, ...diff }, lines.join("\n"));
  },
});
