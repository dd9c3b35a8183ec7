import { Option } from "@commander-js/extra-typings";
import { createPublisher, KEY_SECONDS, PUBLISHER_PROVIDERS } from "../../../contract/publishers.ts";
import { defineCommand } from "../../command/command.ts";
import { definedOnly } from "../../command/defined_only.ts";
import { duration, repeated } from "../../command/option_values.ts";
import { CliError } from "../../errors/cli_error.ts";
import { printable } from "../../terminal/format.ts";
import { permissionsOf, projectIds } from "../key_limits.ts";
import { publisherLines } from "./show_publishers.ts";

const keyLife = duration({ min: KEY_SECONDS.min, max: KEY_SECONDS.max });

export default defineCommand({
  description:
    "Workflows of the repository that match everything named here get keys without a secret: " +
    "`svc` exchanges the token of their job by itself. Without --branch, --tag and " +
    "--pull-requests every branch counts; * stands for any text. --issuer names a GitHub " +
    "Enterprise Server or a GitLab of your own.",
  define: (command) =>
    command
      .addOption(
        new Option("--provider <name>", "where the workflow runs").choices(PUBLISHER_PROVIDERS)
          .makeOptionMandatory(),
      )
      .requiredOption("--repository <path>", "repository, such as acme/shop")
      .option("--permission <name>", "what its keys may do; repeatable", repeated)
      .option("--project <name>", "project that its keys are limited to; repeatable", repeated)
      .option("--branch <pattern>", "branch that it runs for")
      .option("--tag <pattern>", "tag that it runs for")
      .option("--pull-requests", "let runs for pull and merge requests in, for previews only")
      .option("--job-environment <name>", "environment of the job")
      .option("--workflow <file>", "file of the workflow, such as deploy.yml")
      .option("--subject <pattern>", "claim sub of its tokens")
      .option("--issuer <url>", "who signs its tokens, where that is not the provider itself")
      .option("--key-life <time>", "how long a key lives (default: 15m)", keyLife),
  examples: [
    [
      "keys publishers add --provider github --repository acme/shop --branch main " +
      "--permission deploy-production --project shop",
      "let pushes to main deploy",
    ],
    [
      "keys publishers add --provider gitlab --repository acme/shop --pull-requests " +
      "--permission deploy-previews --issuer https://gitlab.example.com",
      "previews of merge requests",
    ],
  ],
  async run({ flags }, ctx) {
    const { permission, project, jobEnvironment: environment, keyLife: keySeconds } = flags;
    if (permission === undefined) {
      throw new CliError("usage", "Say what its keys may do: --permission", {
        hint: "Such as --permission deploy-production or --permission deploy-previews",
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
        ...definedOnly({
          projects,
          branch,
          tag,
          pullRequests,
          environment,
          workflow,
          subject,
          issuer,
          keySeconds,
        }),
      },
    });
    ctx.ui.done("workspace", `Added trusted publisher ${printable(publisher.repository)}`);
    ctx.ui.note(publisherLines(publisher, ctx.apiUrl));
    ctx.ui.result({ publisher }, publisher.id);
  },
});
