import { retryQueue, retryQueueMessage } from "../../contract/queues.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION } from "./queue_options.ts";

/** Maximum number of requests in one run. A run retries at most 100,000 dead letters. */
const MAX_REQUESTS = 100;

export default defineCommand({
  description: "Resets their attempt counts.",
  define: (command) =>
    command
      .argument("<queue>", "name of the queue")
      .option("--message <id>", "only this message, even if it is waiting")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["queues retry mails", "deliver all of a queue's dead letters again"]],
  async run({ args: [queue], flags: { message, environment, projectId } }, ctx) {
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const params = { project: project.id, queue };
    let retried = 0;
    if (message !== undefined) {
      await client.call(retryQueueMessage, {
        params: { ...params, message },
        body: { environment },
      });
      retried = 1;
    } else {
      for (let request = 0; request < MAX_REQUESTS; request++) {
        const answer = await client.call(retryQueue, { params, body: { environment } });
        retried += answer.retried;
        if (!answer.hasMore) break;
      }
    }
    ctx.ui.done("deploy", `Retrying ${formatCount(retried, "message")} from ${printable(queue)}`);
    ctx.ui.result({ queue, retried }, "");
  },
});
