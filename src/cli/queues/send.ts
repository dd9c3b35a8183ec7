import { sendQueueMessage } from "../../contract/queues.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION } from "./queue_options.ts";

export default defineCommand({
  description:
    "The platform delivers the message as a signed POST to the queue's path. If you pass no body, the command reads it from stdin.",
  define: (command) =>
    command
      .argument("<queue>", "name of the queue")
      .argument("[body]", "body of the message")
      .option("--type <type>", "media type of the body", "application/json")
      .option("--key <key>", "deliver after earlier messages with this key")
      .option("--delay <seconds>", "seconds until the first delivery")
      .option("--at <time>", "time of the first delivery, such as 2026-12-01T09:00:00Z")
      .option("--id <id>", "your own ID; sending it again within 24 hours has no effect")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    [`queues send mails '{"to":"ada@example.com"}'`, "send a message"],
    ["queues send mails --delay 3600 < mail.json", "send it in an hour"],
  ],
  async run({ args: [queue, given], flags }, ctx) {
    const { type, key, delay, at, id, environment, projectId } = flags;
    if (delay !== undefined && !/^\d{1,7}$/.test(delay)) {
      throw new CliError("usage", `Use a whole number of seconds for --delay: ${printable(delay)}`);
    }
    if (given === undefined && ctx.stdinIsTerminal) {
      throw new CliError("usage", "No body: pass it as an argument or pipe it in");
    }
    const body = given ?? await new Response(ctx.stdin()).text();
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const sent = await client.call(sendQueueMessage, {
      params: { project: project.id, queue },
      body: {
        environment,
        body,
        contentType: type,
        key: key ?? null,
        delaySeconds: delay === undefined ? undefined : Number(delay),
        at,
        id,
      },
    });
    const text = sent.isDuplicate ? `${sent.id} was already sent` : sent.id;
    ctx.ui.result({ message: sent }, text);
  },
});
