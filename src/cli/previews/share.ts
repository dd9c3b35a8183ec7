import { createShare, SHARE_DAYS } from "../../contract/previews.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId, wholeNumber } from "../command/option_values.ts";

export default defineCommand({
  description:
    "Prints a link once. Anyone with the link can see the deployment without an account until it expires " +
    "or is revoked.",
  define: (command) =>
    command
      .argument("<deployment>", "id of the deployment; `svc deployments` shows it", deploymentId)
      .option("--branch", "share whatever the branch of the deployment shows")
      .option(
        "--days <n>",
        "days until the link ends",
        wholeNumber({ min: 1, max: 365 }),
        SHARE_DAYS,
      ),
  offers: { deployment: "deployment" },
  examples: [
    ["previews share 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "a link that ends in a week"],
    ["previews share 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11 --branch --days 30", "a branch"],
  ],
  async run({ args: [id], flags }, ctx) {
    const client = ctx.client({ phase: "deploy" });
    const { url, ...share } = await client.call(createShare, {
      params: { deployment: id },
      body: { scope: flags.branch === true ? "branch" : "deployment", days: flags.days },
    });
    ctx.ui.done("deploy", `Created a share link that ends on ${share.endsAt.slice(0, 10)}`);
    ctx.ui.note("The link is a secret, and is shown only once");
    ctx.ui.result({ url, share }, url);
  },
});
