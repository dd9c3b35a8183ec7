import { listQueues } from "../../contract/queues.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION } from "./queue_options.ts";

const HEADINGS = ["QUEUE", "PATH", "WAITING", "RUNNING", "DONE", "DEAD"] as const;

export default defineCommand({
  description: "Declare queues as [[queues]] in svc.toml.",
  define: (command) => command.option(...ENVIRONMENT_OPTION).option(...PROJECT_OPTION),
  examples: [["queues list", "show the queues of production"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: queues } = await client.call(listQueues, {
      params: { project: project.id },
      query: { environment: flags.environment },
    });
    if (queues.length === 0) {
      ctx.ui.note("No queues. Declare them as [[queues]] in svc.toml and deploy");
    }
    const rows = queues.map(({ name, path, waiting, running, done, dead }) => [
      printable(name),
      path === null ? "not declared" : printable(path),
      ...[waiting, running, done, dead].map(String),
    ]);
    ctx.ui.result({ queues }, ctx.ui.table(HEADINGS, rows));
  },
});
