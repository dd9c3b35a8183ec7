import { Option } from "@commander-js/extra-typings";
import { MESSAGE_STATES, purgeQueue } from "../../contract/queues.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION } from "./queue_options.ts";

/** Maximum number of requests in one run. A run deletes at most 100,000 messages. */
const MAX_REQUESTS = 100;

export default defineCommand({
  description: "Deletes the dead letters, or the waiting messages.",
  define: (command) =>
    command
      .argument("<queue>", "name of the queue")
      .addOption(
        new Option("--state <state>", "messages to delete").choices(MESSAGE_STATES).default(
          "dead" as const,
        ),
      )
      .option("--force", "skip the confirmation")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["queues purge mails --force", "delete a queue's dead letters"]],
  async run({ args: [queue], flags: { state, force, environment, projectId } }, ctx) {
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const what = state === "dead" ? "dead letters" : "waiting messages";
    await confirm(ctx, {
      force,
      question: `Delete all ${what} of the queue ${printable(queue)} in ${printable(environment)}?`,
      wanted: `Confirm the deletion of all ${what} of the queue ${printable(queue)}`,
      declined: "Nothing deleted",
    });
    let removed = 0;
    for (let request = 0; request < MAX_REQUESTS; request++) {
      const answer = await client.call(purgeQueue, {
        params: { project: project.id, queue },
        body: { environment, state },
      });
      removed += answer.removed;
      if (!answer.hasMore) break;
    }
    ctx.ui.done("deploy", `Deleted ${formatCount(removed, "message")} from ${printable(queue)}`);
    ctx.ui.result({ queue, state, removed }, "");
  },
});
