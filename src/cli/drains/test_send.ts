import { testDrain } from "../../contract/drains.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description: "Exits with code 1 if the endpoint did not accept it.",
  define: (command) => command.argument("<drain_id>", "ID of the drain").option(...PROJECT_OPTION),
  offers: { drain_id: "drain" },
  examples: [["drains test 01900000-0000-7000-8000-000000000000", "send a sample log record"]],
  async run({ args: [drain], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const result = await client.call(testDrain, { params: { project: project.id, drain } });
    const detail = printable(result.detail);
    if (!result.delivered) throw new CliError("not_delivered", `Not delivered: ${detail}`);
    ctx.ui.done("deploy", `Delivered in ${result.durationMs} ms: ${detail}`);
    ctx.ui.result(result, "");
  },
});
