import { createShare, SHARE_DAYS } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId, wholeNumber } from "../command/option_values.ts";

export default defineCommand({
  description:
    "Prints a link once. Anyone with the link can see the deployment without an account until it expires " +
    "or is revoked.",
  define: (command) =>
    command
      .argument("<deployment>", "ID of the deployment; `svc deployments` shows it", deploymentId)
      .option("--branch", "share the latest deployment of its branch")
      .option(
        "--days <n>",
        "days until the link expires",
        wholeNumber({ min: 1, max: 365 }),
        SHARE_DAYS,
      ),
  offers: { deployment: "deployment" },
  examples: [
    ["previews share 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "create a link that expires in a week"],
    ["previews share 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11 --branch --days 30", "a branch"],
  ],
  async run({ args: [id], flags }, ctx) {
    const client = ctx.client({ phase: "deploy" });
    const { url, ...share } = await client.call(createShare, {
      params: { deployment: id },
      body: { scope: flags.branch === true ? "branch" : "deployment", days: flags.days },
    });
    ctx.ui.done("deploy", `Created a share link that expires on ${share.endsAt.slice(0, 10)}`);
    ctx.ui.note("Copy the link now. It is a secret, and you won't see it again");
    ctx.ui.result({ url, share }, url);
  },
});
