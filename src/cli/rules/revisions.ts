import { collectPages } from "../../client/collect_pages.ts";
import { listRuleRevisions } from "../../contract/rules.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { limitOption } from "../command/option_values.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";

export default defineCommand({
  define: (command) =>
    command
      .option(...PROJECT_OPTION)
      .addOption(limitOption(PAGE_LIMIT_DEFAULT)),
  examples: [["rules revisions", "list published rule sets, newest first"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    const { items, nextCursor } = await collectPages(
      (query) => client.call(listRuleRevisions, { params, query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (items.length === 0) {
      ctx.ui.note("No published rules yet: `svc rules publish` publishes rules");
    }
    const rows = items.map(({ revisionId, ruleCount, publishedAt, publishedBy, active }) => [
      revisionId,
      String(ruleCount),
      formatAge(publishedAt, ctx.now()),
      publishedBy,
      active ? "yes" : "",
    ]);
    ctx.ui.result(
      { revisions: items, nextCursor },
      ctx.ui.table(["REVISION", "RULES", "PUBLISHED", "BY", "ACTIVE"], rows),
    );
  },
});
