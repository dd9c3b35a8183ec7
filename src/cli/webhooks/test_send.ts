import { EVENT_NAMES } from "../../contract/events.ts";
import { Option } from "@commander-js/extra-typings";
import { testWebhook } from "../../contract/webhooks.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description: "Exits with code 1 if the receiver does not accept the event.",
  define: (command) =>
    command
      .argument("<webhook_id>", "ID of the webhook")
      .addOption(
        new Option("--event <name>", "event of the sample").choices(EVENT_NAMES)
          .default("deployment.live" as const),
      ),
  offers: { webhook_id: "webhook" },
  examples: [["webhooks test 01900000-0000-7000-8000-000000000000", "send a sample event"]],
  async run({ args: [webhook], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const result = await client.call(testWebhook, {
      params: { webhook },
      body: { event: flags.event },
    });
    const detail = printable(result.detail);
    if (!result.delivered) throw new CliError("not_delivered", `Not delivered: ${detail}`);
    ctx.ui.done("workspace", `Delivered in ${result.durationMs} ms: ${detail}`);
    ctx.ui.result(result, "");
  },
});
