import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command.ts";
import { formatFacts } from "../table.ts";

export default defineCommand({
  define: (command) => command,
  examples: [
    ["whoami", "show the user and key in use"],
    ["whoami --json", "the same for programs"],
  ],
  answers: "{ user, workspace, credential, apiUrl }",
  async run(_, ctx) {
    const client = ctx.client({ phase: "auth" });
    const identity = await client.call(endpoints.getIdentity, {});
    const { user, workspace, credential } = identity;
    ctx.ui.result(
      { ...identity, apiUrl: ctx.apiUrl },
      formatFacts([
        ["user", user.email === null ? user.name : `${user.name} <${user.email}>`],
        ["workspace", `${workspace.slug} (${workspace.role})`],
        ["key", `${credential.name} (${credential.prefix}…)`],
        ["platform", ctx.apiUrl],
      ]),
    );
  },
});
