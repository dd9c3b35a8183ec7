import { listCronTasks } from "../../contract/cron.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { describeLast } from "./describe_run.ts";

const HEADINGS = ["PATH", "SCHEDULE", "TIME ZONE", "NEXT", "LAST"] as const;

export default defineCommand({
  description: "Declare tasks as [[cron]] in svc.toml. They run for the production deployment.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["cron list", "show the scheduled tasks of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: tasks } = await client.call(listCronTasks, {
      params: { project: project.id },
    });
    if (tasks.length === 0) {
      ctx.ui.note("No scheduled tasks. Declare them as [[cron]] in svc.toml and deploy");
    }
    const rows = tasks.map(({ path, schedule, timezone, nextRunAt, lastRun }) => [
      printable(path),
      printable(schedule),
      printable(timezone),
      nextRunAt ?? "never",
      describeLast(lastRun, ctx.now()),
    ]);
    ctx.ui.result({ tasks }, ctx.ui.table(HEADINGS, rows));
  },
});
