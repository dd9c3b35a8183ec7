import { Option } from "@commander-js/extra-typings";
import { createPublisher, KEY_SECONDS, PUBLISHER_PROVIDERS } from "../../../contract/publishers.ts";
import { defineCommand } from "../../command/command.ts";
import { duration, repeated } from "../../command/option_values.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { permissionsOf, projectIds } from "../key_limits.ts";
import { publisherLines } from "./show_publishers.ts";

const keyLife = duration({ min: KEY_SECONDS.min, max: KEY_SECONDS.max });

export default defineCommand({
  description:
    "Workflows of the repository that match all flags get short-lived keys without a stored secret: `svc` exchanges the job's token automatically. By default, every branch matches. Use --branch, --tag and --pull-requests to change that; * matches any text. Use --issuer for GitHub Enterprise Server or self-hosted GitLab.",
  define: (command) =>
    command
      .addOption(
        new Option("--provider <name>", "CI provider").choices(PUBLISHER_PROVIDERS)
          .makeOptionMandatory(),
      )
      .requiredOption("--repository <path>", "repository, such as acme/shop")
      .option("--permission <name>", "permission of its keys; repeatable", repeated)
      .option("--project <name>", "project that its keys can access; repeatable", repeated)
      .option("--branch <pattern>", "branch to trust")
      .option("--tag <pattern>", "tag to trust")
      .option("--pull-requests", "also trust pull and merge requests, for previews only")
      .option("--job-environment <name>", "environment of the job")
      .option("--workflow <file>", "workflow file, such as deploy.yml")
      .option("--subject <pattern>", "sub claim of its tokens")
      .option("--issuer <url>", "issuer of its tokens, if it is not the provider's default")
      .option("--key-life <time>", "lifetime of its keys (default: 15m)", keyLife),
  examples: [
    [
      "keys publishers add --provider github --repository acme/shop --branch main " +
      "--permission deploy-production --project shop",
      "let pushes to main deploy",
    ],
    [
      "keys publishers add --provider gitlab --repository acme/shop --pull-requests " +
      "--permission deploy-previews --issuer https://gitlab.example.com",
      "deploy previews of merge requests",
    ],
  ],
  async run({ flags }, ctx) {
    const { permission, project, jobEnvironment: environment, keyLife: keySeconds } = flags;
    if (permission === undefined) {
      throw new CliError("usage", "No permissions: use --permission", {
        hint: "For example --permission deploy-production or --permission deploy-previews",
      });
    }
    const client = ctx.client({ phase: "workspace" });
    const permissions = permissionsOf(permission);
    const projects = project && await projectIds(client, project);
    const { provider, repository, branch, tag, pullRequests, workflow, subject, issuer } = flags;
    const publisher = await client.call(createPublisher, {
      body: {
        provider,
        repository,
        permissions,
        projects,
        branch,
        tag,
        pullRequests,
        environment,
        workflow,
        subject,
        issuer,
        keySeconds,
      },
    });
    ctx.ui.done("workspace", `Added trusted publisher ${printable(publisher.repository)}`);
    ctx.ui.note(publisherLines(publisher, ctx.apiUrl));
    ctx.ui.result({ publisher }, publisher.id);
  },
});
