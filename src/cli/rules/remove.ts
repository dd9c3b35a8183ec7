import { deleteRules, getRules } from "../../contract/rules.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatFacts } from "../terminal/table.ts";
import { describeActive, explainConflict, undoLine } from "./published_rules.ts";

export default defineCommand({
  description:
    "The rules of the live deployment apply again. Revisions are kept and can be restored.",
  define: (command) =>
    command
      .option(...PROJECT_OPTION)
      .option("--force", "skip the confirmation"),
  examples: [["rules remove --force", "return to the deployment's rules"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    const { etag, body: before } = await client.send(getRules, { params });
    await confirm(ctx, {
      force: flags.force,
      question: `Remove the published rules of ${project.name} from production?`,
      wanted: `Confirm the removal of the published rules of ${project.name}`,
      declined: "Nothing removed",
      next: ctx.lines.of("rules", "remove", "--project-id", project.id, "--force"),
    });
    try {
      const answer = await client.send(deleteRules, {
        params,
        ifMatch: etag,
      });
      ctx.ui.done("deploy", `Removed. Active now: ${describeActive(answer.body)}`);
      if (before.origin === "ui") ctx.ui.note(formatFacts([["  undo", undoLine(ctx, before)]]));
      ctx.ui.result({ ...answer.body, etag: answer.etag ?? null }, "");
    } catch (error) {
      throw explainConflict(ctx, error);
    }
  },
});
