import { revokeApiKey } from "../../contract/api_keys.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { printable } from "../terminal/format.ts";
import { findKey } from "./show_keys.ts";

export default defineCommand({
  description: "The key stops working immediately.",
  define: (command) =>
    command
      .argument("<key>", "ID, name or prefix of the key")
      .option("--force", "skip the confirmation"),
  offers: { key: "api-key" },
  examples: [["keys revoke ci --force", "revoke it without confirmation"]],
  async run({ args: [reference], flags }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const apiKey = await findKey(client, reference);
    const name = printable(apiKey.name);
    await confirm(ctx, {
      force: flags.force,
      question:
        `Revoke API key ${name} (${apiKey.prefix}…)? Anything that uses it will lose access`,
      wanted: `Confirm the revocation of API key ${name}`,
      declined: "Nothing revoked",
      next: ctx.lines.of("keys", "revoke", apiKey.id, "--force"),
    });
    await client.call(revokeApiKey, { params: { key: apiKey.id } });
    ctx.ui.done("workspace", `Revoked API key ${name}`);
    ctx.ui.result({ revoked: true, apiKey }, "");
  },
});
