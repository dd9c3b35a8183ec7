import { collectPages } from "../../client/collect_pages.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { listShares, MAX_SHARES, type PreviewShare } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

const toRow = ({ id, deploymentId, branch, endsAt, createdBy }: PreviewShare) => [
  id,
  branch === null ? `deployment ${deploymentId}` : `branch ${printable(branch)}`,
  endsAt.slice(0, 16).replace("T", " "),
  printable(createdBy),
];

export default defineCommand({
  description: "Expired and revoked links are not listed.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["previews list", "list the share links of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: shares } = await collectPages(
      (query) => client.call(listShares, { params: { project: project.id }, query }),
      { limit: MAX_SHARES, pageSize: PAGE_LIMIT_MAX },
    );
    if (shares.length === 0) ctx.ui.note("No share links: `svc previews share` creates one");
    ctx.ui.result(
      { shares },
      ctx.ui.table(["ID", "SHOWS", "ENDS (UTC)", "CREATED BY"], shares.map(toRow)),
    );
  },
});
