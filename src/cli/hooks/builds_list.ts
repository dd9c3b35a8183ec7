import { collectPages } from "../../client/collect_pages.ts";
import { type Build, listBuilds } from "../../contract/builds.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { limitOption } from "../command/option_values.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";

const toRow = (build: Build, now: number): string[] => [
  build.id,
  build.ahead === null || build.ahead === 0 ? build.state : `${build.state} (${build.ahead} ahead)`,
  build.environment,
  build.branch,
  build.commitSha.slice(0, 7),
  formatAge(build.queuedAt, now),
  build.error ?? "",
];

export default defineCommand({
  description: "A build has the same ID as its deployment.",
  define: (command) =>
    command
      .addOption(limitOption(10))
      .option(...PROJECT_OPTION),
  examples: [["builds list", "show the latest builds of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items, nextCursor } = await collectPages(
      (query) => client.call(listBuilds, { params: { project: project.id }, query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (items.length === 0) {
      ctx.ui.note("No builds yet: `svc builds start` or a deploy hook starts one");
    }
    const headings = ["ID", "STATE", "ENVIRONMENT", "BRANCH", "COMMIT", "QUEUED", "ERROR"];
    const rows = items.map((build) => toRow(build, ctx.now()));
    ctx.ui.result({ builds: items, nextCursor }, ctx.ui.table(headings, rows));
  },
});
