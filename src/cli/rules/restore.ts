import { getRules, restoreRules } from "../../contract/rules.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatFacts } from "../terminal/table.ts";
import { describeActive, explainRevision, undoLine } from "./published_rules.ts";

export default defineCommand({
  define: (command) =>
    command
      .argument("<revision>", "revision, from svc rules revisions")
      .option(...PROJECT_OPTION),
  examples: [["rules restore 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "publish it again"]],
  async run({ args: [revision], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    const { body: before, etag: known } = await client.send(getRules, { params });
    try {
      const { body: active, etag } = await client.send(restoreRules, {
        params: { ...params, revision },
        ifMatch: known,
      });
      ctx.ui.done("deploy", `${describeActive(active)}, now used by ${project.url}`);
      ctx.ui.note(formatFacts([["  undo", undoLine(ctx, before)]]));
      ctx.ui.result({ ...active, etag: etag ?? null }, "");
    } catch (error) {
      throw explainRevision(ctx, error);
    }
  },
});
