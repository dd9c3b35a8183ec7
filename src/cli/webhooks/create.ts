import { EVENT_CATEGORIES, EVENT_NAMES } from "../../contract/events.ts";
import { createWebhook } from "../../contract/webhooks.ts";
import { defineCommand } from "../command/command.ts";
import { httpUrl, repeated } from "../command/option_values.ts";
import { knownNames } from "../command/known_names.ts";

export default defineCommand({
  description:
    "Prints the signing secret once. By default, the webhook gets every event of the workspace.",
  define: (command) =>
    command
      .argument("<url>", "URL to send events to", httpUrl)
      .option("--event <name>", "event to send; repeatable", repeated)
      .option("--category <name>", "event category to send; repeatable", repeated)
      .option("--description <text>", "description of the webhook"),
  examples: [
    ["webhooks create https://ci.example.com/svc", "send every event"],
    ["webhooks create https://chat.example.com/x --category Deployment", "send deployment events"],
  ],
  async run({ args: [url], flags }, ctx) {
    const events = knownNames(flags.event ?? [], EVENT_NAMES, "event");
    const categories = knownNames(flags.category ?? [], EVENT_CATEGORIES, "event category");
    const client = ctx.client({ phase: "workspace" });
    const { secret, ...webhook } = await client.call(createWebhook, {
      body: { url, events, categories, description: flags.description ?? "" },
    });
    ctx.ui.done("workspace", `Created webhook ${webhook.id}`);
    ctx.ui.note(
      "Copy the secret now. You won't see it again. Receivers use it to verify signatures",
    );
    ctx.ui.result({ webhook, secret }, secret);
  },
});
