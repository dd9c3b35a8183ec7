import { listQueueMessages, listQueues, MESSAGE_STATES } from "../../contract/queues.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { Option } from "@commander-js/extra-typings";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, MESSAGE_HEADINGS, messageRow } from "./queue_options.ts";

export default defineCommand({
  description: "Shows the newest 100 messages of one state.",
  define: (command) =>
    command
      .argument("<queue>", "name of the queue")
      .addOption(
        new Option("--state <state>", "messages to show").choices(MESSAGE_STATES).default(
          "dead" as const,
        ),
      )
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["queues show mails", "show a queue and its dead letters"],
    ["queues show mails --state waiting", "show waiting messages instead"],
  ],
  async run({ args: [name], flags: { environment, state, projectId } }, ctx) {
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const { items: queues } = await client.call(listQueues, {
      params: { project: project.id },
      query: { environment },
    });
    const queue = queues.find((each) => each.name === name);
    if (queue === undefined) {
      throw new CliError("not_found", `No queue ${printable(name)} in ${printable(environment)}`, {
        next: ["svc queues list"],
      });
    }
    const { items: messages } = await client.call(listQueueMessages, {
      params: { project: project.id, queue: name },
      query: { environment, state, limit: 100 },
    });
    const { waiting, running, done, dead } = queue;
    const counts = `${waiting} waiting, ${running} running, ${done} done, ${dead} dead`;
    const table = messages.length === 0
      ? ""
      : `\n${ctx.ui.table(MESSAGE_HEADINGS, messages.map((each) => messageRow(each, ctx.now())))}`;
    ctx.ui.result({ queue, messages }, `${counts}${table}`);
  },
});
