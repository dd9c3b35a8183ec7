import { updatePreviewAccess } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { repeatedList } from "../command/option_values.ts";
import { openProject } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

export default defineCommand({
  description:
    "Production and its custom domains answer 503 with Retry-After. Members who sign in, holders " +
    "of the bypass key and allowed addresses see the site. A 503.html of the site is shown.",
  define: (command) =>
    command
      .option("--allow <cidr>", "address or CIDR that sees the site; repeatable", repeatedList)
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["maintenance on", "take production down"],
    ["maintenance on --allow 198.51.100.0/24", "except for the office"],
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
