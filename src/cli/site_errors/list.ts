import { ERROR_LIMIT_DEFAULT, ERROR_LIMIT_MAX, listErrors } from "../../contract/errors.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId, wholeNumber } from "../command/option_values.ts";
import { warnOfMissingNodes } from "../command/missing_nodes.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description: "Includes exceptions and failed requests, grouped by kind.",
  define: (command) =>
    command
      .option(
        "--limit <n>",
        `maximum number, up to ${ERROR_LIMIT_MAX}`,
        wholeNumber({ min: 1, max: ERROR_LIMIT_MAX }),
        ERROR_LIMIT_DEFAULT,
      )
      .option("--deployment <id>", "only errors first seen in this deployment", deploymentId)
      .option(...PROJECT_OPTION),
  examples: [
    ["errors list", "show the errors of this directory's project"],
    ["errors list --limit 500 --json", "list up to 500 as JSON"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: errors, missingNodes } = await client.call(listErrors, {
      params: { project: project.id },
      query: {
        limit: flags.limit,
        deploymentId: flags.deployment,
      },
    });
    warnOfMissingNodes(ctx, missingNodes);
    const rows = errors.map(({ id, kind, source, count, lastSeen, title }) => [
      id,
      String(count),
      lastSeen,
      printable(source === null ? kind : `${kind} ${source}`),
      printable(title),
    ]);
    ctx.ui.result(
      { errors },
      errors.length === 0
        ? "No errors"
        : ctx.ui.table(["ID", "COUNT", "LAST SEEN", "FROM", "ERROR"], rows),
    );
  },
});
