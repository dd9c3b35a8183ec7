import { endpoints } from "../../contract/mod.ts";
import { actionRequired, declined } from "../cli_error.ts";
import { defineCommand } from "../command.ts";
import { describeActive, explainConflict, projectOfRules } from "../published_rules.ts";

export default defineCommand({
  description: "The rules of the live deployment apply again. Revisions stay and can be restored.",
  define: (command) =>
    command
      .option("--project-id <id>", "id or name of the project")
      .option("--force", "do not ask"),
  examples: [["rules remove --force", "go back to the deployment's own rules"]],
  answers: "{ origin, revisionId, deploymentId, ruleSet, publishedAt, etag }",
  async run({ flags }, ctx) {
    const { client, project } = await projectOfRules(ctx, flags.projectId, "svc rules remove");
    const params = { project: project.id };
    const { etag } = await client.send(endpoints.getRules, { params });
    if (flags.force !== true) {
      if (ctx.prompter === undefined) {
        throw actionRequired(`Confirm that the published rules of ${project.name} shall go`, [
          `svc rules remove --project-id ${project.id} --force`,
        ]);
      }
      const message = `Remove the published rules of ${project.name} from production?`;
      if (!(await ctx.prompter.confirm({ message }))) {
        throw declined("Nothing removed");
      }
    }
    try {
      const answer = await client.send(endpoints.deleteRules, {
        params,
        ...(etag === undefined ? {} : { ifMatch: etag }),
      });
      ctx.ui.done("deploy", `Removed. In effect now: ${describeActive(answer.body)}`);
      ctx.ui.result({ ...answer.body, etag: answer.etag ?? null }, "");
    } catch (error) {
      throw explainConflict(error);
    }
  },
});
