import { ApiError } from "../../client/errors.ts";
import { rollback } from "../../contract/deployments.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { askOfNewerSchema } from "./newer_schema.ts";
import { deploymentId } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { reportRulesInEffect } from "../rules/published_rules.ts";
import type { Context } from "../session/context.ts";
import { formatAge } from "../terminal/format.ts";
import { formatFacts } from "../terminal/table.ts";

/** Adds the command that lists deployments to the platform's error about a conflict. */
function explainConflict({ lines }: Context, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 409) return error;
  return new CliError("conflict", error.message, {
    next: [lines.ofProject("deployments", "list")],
    cause: error,
  });
}

export default defineCommand({
  description:
    "Restores the previous production deployment with its files, functions, rules and variables. Each further rollback goes one step back in the history. After a rollback with --to, the next rollback without --to undoes it.",
  define: (command) =>
    command
      .option(
        "--deployment-id <id>",
        "deployment to roll back (default: the production deployment)",
        deploymentId,
      )
      .option("--to <id>", "deployment to roll back to (default: the previous one)", deploymentId)
      .option(...PROJECT_OPTION),
  examples: [
    ["rollback", "roll back the production deployment"],
    ["rollback --to 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "roll back to a specific deployment"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, {
      given: flags.projectId,
      phase: "rollback",
    });
    const newerSchema = await askOfNewerSchema(ctx, client, {
      project: project.id,
      to: flags.to,
      phase: "rollback",
    });
    const answer = await client.call(rollback, {
      params: { project: project.id },
      body: definedOnly({ deploymentId: flags.deploymentId, to: flags.to }),
    }).catch((error) => {
      throw explainConflict(ctx, error);
    });
    const { deployment, rolledBack } = answer;
    ctx.ui.done("rollback", `Rolled back ${rolledBack.id}. ${deployment.id} is live again`);
    ctx.ui.note(formatFacts([
      ["  commit", deployment.commitSha],
      ["  message", deployment.message],
      ["  deployed", formatAge(deployment.createdAt, ctx.now())],
      ["  undo", ctx.lines.ofProject("rollback", "--to", rolledBack.id)],
    ]));
    const rulesInEffect = await reportRulesInEffect(ctx, client, {
      project: project.id,
      phase: "rollback",
    });
    ctx.ui.result({ ...answer, rulesInEffect, newerSchema }, deployment.urls.production);
  },
});
