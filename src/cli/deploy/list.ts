import { collectPages } from "../../client/collect_pages.ts";
import { Option } from "@commander-js/extra-typings";
import { type Deployment, DEPLOYMENT_STATES, listDeployments } from "../../contract/deployments.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { limitOption } from "../command/option_values.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge } from "../terminal/format.ts";

const toRow = (deployment: Deployment, now: number): string[] => [
  deployment.id,
  deployment.isProduction ? `${deployment.status} *` : deployment.status,
  deployment.environment,
  deployment.branch,
  deployment.commitSha?.slice(0, 7) ?? "-",
  formatAge(deployment.createdAt, now),
  deployment.variablesChanged || deployment.referencesChanged ? "changed" : "current",
  deployment.url,
];

/**
 * Returns one message per environment for each reference whose value has changed since a
 * deployment.
 */
const changedReferences = (deployments: readonly Deployment[]): ReadonlySet<string> =>
  new Set(
    deployments.flatMap(({ environment, references }) =>
      references.filter(({ changed }) => changed).map(({ variable, reference }) =>
        `\${{${reference}}} in ${variable} of ${environment} now resolves to a different value. ` +
        "Redeploy to apply it"
      )
    ),
  );

export default defineCommand({
  description:
    "A star marks the production deployment. A deployment keeps the variables it was created with. VARIABLES shows whether its environment's variables, or the URLs that they refer to, have changed since then.",
  define: (command) =>
    command
      .addOption(limitOption(10))
      .option("--branch <branch>", "only this branch")
      .option("--environment <name-or-id>", "only this environment")
      .addOption(new Option("--status <status>", "only this status").choices(DEPLOYMENT_STATES))
      .option("--sha <sha>", "only commits whose ID starts with this")
      .option(...PROJECT_OPTION),
  examples: [
    ["deployments list", "show the latest deployments of this directory's project"],
    [
      "deployments list --branch main --status FAILED",
      "show the latest deployments of main that failed",
    ],
    [
      "deployments list --project-id blog --limit 50 --json",
      "list 50 deployments of blog for scripts",
    ],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { branch, environment, status, sha } = flags;
    const filter = definedOnly({ branch, environment, status, sha });
    const { items, nextCursor } = await collectPages(
      (query) =>
        client.call(listDeployments, {
          params: { project: project.id },
          query: { ...query, ...filter },
        }),
      { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (items.length === 0) {
      ctx.ui.note(
        Object.keys(filter).length === 0
          ? "No deployments yet: `svc deploy` creates one"
          : "No deployments match",
      );
    }
    const live = items.filter(({ status }) => status === "LIVE");
    for (const reference of changedReferences(live)) ctx.ui.log("deploy", "warn", reference);
    const outdated = live.filter(({ variablesChanged }) => variablesChanged);
    for (const environment of new Set(outdated.map((item) => item.environment))) {
      ctx.ui.log(
        "deploy",
        "warn",
        `Variables of ${environment} have changed since then. Redeploy to apply them`,
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
      ctx.ui.table(headings, items.map((item) => toRow(item, ctx.now()))),
    );
  },
});
