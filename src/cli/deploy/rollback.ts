import { ApiError } from "../../client/mod.ts";
import { endpoints } from "../../contract/mod.ts";
import { defineCommand, definedOnly, deploymentId } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { openProject } from "../projects/mod.ts";
import { reportRulesInEffect } from "../rules/mod.ts";
import type { Context } from "../session/mod.ts";
import { formatAge, formatFacts } from "../terminal/mod.ts";

/** Adds to the platform's refusal what can be done in its place. */
function explainConflict({ lines }: Context, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 409) return error;
  return new CliError("conflict", error.message, {
    next: [lines.ofProject("deployments", "list")],
    cause: error,
  });
}

export default defineCommand({
  description:
    "The deployment that was live before becomes live again, as it was: files, functions, " +
    "rules and variables. Each further rollback goes one step back in the history of what " +
    "was live; a rollback after --to undoes it.",
  define: (command) =>
    command
      .option(
        "--deployment-id <id>",
        "deployment to undo (default: the one live in production)",
        deploymentId,
      )
      .option("--to <id>", "deployment to make live (default: the one before)", deploymentId)
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["rollback", "undo the deployment that is live"],
    ["rollback --to 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "go back to a given deployment"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, {
      given: flags.projectId,
      phase: "rollback",
    });
    const answer = await client.call(endpoints.rollback, {
      params: { project: project.id },
      body: definedOnly({ deploymentId: flags.deploymentId, to: flags.to }),
    }).catch((error) => {
      throw explainConflict(ctx, error);
    });
    const { deployment, rolledBack } = answer;
    ctx.ui.done("rollback", `Rolled back ${rolledBack.id}; ${deployment.id} is live again`);
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
    ctx.ui.result({ ...answer, rulesInEffect }, deployment.urls.production);
  },
});
