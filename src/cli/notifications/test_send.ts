import { PERSONAL_CHANNELS } from "../../contract/channels.ts";
import { Argument } from "@commander-js/extra-typings";
import { sendTestNotification } from "../../contract/deliveries.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description:
    "Sends you a test message and reports the result. Exits with code 1 if it was not delivered.",
  define: (command) =>
    command.addArgument(new Argument("<channel>", "channel to test").choices(PERSONAL_CHANNELS)),
  examples: [["notifications test email", "check that email arrives"]],
  async run({ args: [channel] }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const result = await client.call(sendTestNotification, { body: { channel } });
    for (const { receiver, delivered, detail, durationMs } of result.results) {
      const text = `${printable(receiver)}: ${printable(detail)}`;
      if (delivered) ctx.ui.done("workspace", `${text} (${durationMs} ms)`);
      else ctx.ui.log("workspace", "error", text);
    }
    if (!result.delivered) {
      const failed = result.results.find(({ delivered }) => !delivered);
      throw new CliError("not_delivered", `Not delivered: ${printable(failed?.detail ?? "")}`);
    }
    ctx.ui.result(result, "");
  },
});
