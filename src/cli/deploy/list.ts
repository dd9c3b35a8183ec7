import { collectPages } from "../../client/collect_pages.ts";
import { type Deployment, listDeployments } from "../../contract/deployments.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { limitOption } from "../command/option_values.ts";
import { openProject } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";

const toRow = (deployment: Deployment, now: number): string[] => [
  deployment.id,
  deployment.isProduction ? `${deployment.status} *` : deployment.status,
  deployment.environment,
  deployment.branch,
  deployment.commitSha?.slice(0, 7) ?? "-",
  formatAge(deployment.createdAt, now),
  deployment.variablesChanged ? "changed" : "current",
  deployment.url,
];

export default defineCommand({
  description:
    "A star marks the production deployment. A deployment keeps the variables it was created with. VARIABLES shows whether the variables of its environment have changed since.",
  define: (command) =>
    command
      .addOption(limitOption(10))
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["deployments list", "show the latest deployments of this directory's project"],
    [
      "deployments list --project-id blog --limit 50 --json",
      "list 50 deployments of blog for scripts",
    ],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items, nextCursor } = await collectPages(
      (query) => client.call(listDeployments, { params: { project: project.id }, query }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (items.length === 0) ctx.ui.note("No deployments yet: `svc deploy` creates one");
    const outdated = items.filter(({ status, variablesChanged }) =>
      status === "LIVE" && variablesChanged
    );
    for (const environment of new Set(outdated.map((item) => item.environment))) {
      ctx.ui.log(
        "deploy",
        "warn",
        `Variables of ${environment} have changed since. Redeploy to apply them`,
      );
    }
    const headings = [
      "ID",
      "STATUS",
      "ENVIRONMENT",
      "BRANCH",
      "COMMIT",
      "CREATED",
      "VARIABLES",
      "URL",
    ];
    ctx.ui.result(
      { deployments: items, nextCursor },
      items.length === 0 ? "" : ctx.ui.table(headings, items.map((item) => toRow(item, ctx.now()))),
    );
  },
});
