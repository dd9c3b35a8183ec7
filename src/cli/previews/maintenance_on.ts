import { updatePreviewAccess } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { repeatedList } from "../command/option_values.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

export default defineCommand({
  description:
    "Production and its custom domains respond with 503 and Retry-After. Members who sign in, " +
    "requests with the bypass key and allowed IP addresses still see the site. If the site " +
    "has a 503.html, visitors see that page.",
  define: (command) =>
    command
      .option(
        "--allow <cidr>",
        "IP address or CIDR that can see the site; repeatable",
        repeatedList,
      )
      .option(...PROJECT_OPTION),
  examples: [
    ["maintenance on", "take production down"],
    ["maintenance on --allow 198.51.100.0/24", "take production down except for the office"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const access = await client.call(updatePreviewAccess, {
      params: { project: project.id },
      body: { maintenance: { allowCidrs: flags.allow ?? [] } },
    });
    ctx.ui.done("deploy", `Production of ${project.name} is down for maintenance`);
    ctx.ui.note(`To open it again: ${ctx.lines.ofProject("maintenance", "off")}`);
    ctx.ui.result({ previews: access }, formatAccess(access));
  },
});
