import { runCronTask } from "../../contract/cron.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { describeRun } from "./describe_run.ts";

export default defineCommand({
  description: "Fails if the server does not respond, or responds with status 400 or above.",
  define: (command) =>
    command
      .argument("<path>", "path of the task")
      .option(...PROJECT_OPTION),
  examples: [["cron run /api/cron", "request the task now, as the schedule does"]],
  async run({ args: [path], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const run = await client.call(runCronTask, {
      params: { project: project.id },
      body: { path },
    });
    if (run.outcome === "failed") {
      throw new CliError("task_failed", `${printable(path)}: ${describeRun(run)}`, {
        hint: `\`svc logs --search ${run.requestId}\` shows the server's output`,
        details: { run },
      });
    }
    ctx.ui.result({ run }, `${printable(path)}: ${describeRun(run)}`);
  },
});
