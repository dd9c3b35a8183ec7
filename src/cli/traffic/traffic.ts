import { Option } from "@commander-js/extra-typings";
import { getTraffic, TRAFFIC_RANGES } from "../../contract/traffic.ts";
import { defineCommand } from "../command/command.ts";
import { warnOfMissingNodes } from "../command/missing_nodes.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatTraffic } from "./format_traffic.ts";

export default defineCommand({
  description: "Counted at the edge, without scripts or cookies.",
  define: (command) =>
    command
      .addOption(
        new Option("--range <range>", "the last hour, day or 90 days").choices(TRAFFIC_RANGES)
          .default("day" as const),
      )
      .option("-e, --environment <env>", "name or ID of the environment", "production")
      .option(...PROJECT_OPTION),
  examples: [
    ["traffic", "show the last 24 hours of production"],
    ["traffic --range 90d --json", "show the last 90 days by day as JSON"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const traffic = await client.call(getTraffic, {
      params: { project: project.id },
      query: { range: flags.range, environment: flags.environment },
    });
    warnOfMissingNodes(ctx, traffic.missingNodes);
    const table = (
      headings: readonly string[],
      rows: readonly (readonly string[])[],
    ) => ctx.ui.table(headings, rows);
    ctx.ui.result({ traffic }, formatTraffic(traffic, { project: project.name, table }));
  },
});
