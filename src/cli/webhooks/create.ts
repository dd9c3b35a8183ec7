import { EVENT_CATEGORIES, EVENT_NAMES } from "../../contract/events.ts";
import { createWebhook } from "../../contract/webhooks.ts";
import { defineCommand } from "../command/command.ts";
import { httpUrl, repeated } from "../command/option_values.ts";
import { knownNames } from "../command/known_names.ts";

export default defineCommand({
  description:
    "Prints once the secret that messages are signed with. Without --event and --category, " +
    "the webhook gets every event of the workspace.",
  define: (command) =>
    command
      .argument("<url>", "address to send the events to", httpUrl)
      .option("--event <name>", "event to send; repeatable", repeated)
      .option("--category <name>", "category whose events to send; repeatable", repeated)
      .option("--description <text>", "what it is for"),
  examples: [
    ["webhooks create https://ci.example.com/svc", "every event"],
    ["webhooks create https://chat.example.com/x --category Deployment", "those of deployments"],
  ],
  async run({ args: [url], flags }, ctx) {
    const events = knownNames(flags.event ?? [], EVENT_NAMES, "event");
    const categories = knownNames(flags.category ?? [], EVENT_CATEGORIES, "event category");
    const client = ctx.client({ phase: "workspace" });
    const { secret, ...webhook } = await client.call(createWebhook, {
      body: { url, events, categories, description: flags.description ?? "" },
    });
    ctx.ui.done("workspace", `Created webhook ${webhook.id}`);
    ctx.ui.note("The secret is shown only this once: receivers verify the signature with it");
    ctx.ui.result({ webhook, secret }, secret);
  },
});
