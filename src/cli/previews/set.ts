import { Option } from "@commander-js/extra-typings";
import { updatePreviewAccess } from "../../contract/previews.ts";
import { PROTECTIONS } from "../../lib/protection.ts";
import { defineCommand } from "../command/command.ts";
import { booleanValue } from "../command/option_values.ts";
import { definedOnly } from "../command/defined_only.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAccess } from "./format_access.ts";

/** Splits the value of a flag with several entries at commas. An empty value clears the setting. */
const entriesOf = (text: string | undefined): string[] | undefined =>
  text?.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");

export default defineCommand({
  description: "Takes effect on the next request. An empty value clears a list: --allow-cidr ''.",
  define: (command) =>
    command
      .addOption(
        new Option("--protection <who>", "who can visit previews; with all, production too")
          .choices(PROTECTIONS),
      )
      .option("--allow-cidr <list>", "IP addresses and CIDRs that skip sign-in, comma-separated")
      .option(
        "--exempt-path <list>",
        "paths that skip sign-in, comma-separated; * matches any text",
      )
      .option(
        "--exempt-options <true|false>",
        "whether OPTIONS requests skip sign-in",
        booleanValue,
      )
      .option(...PROJECT_OPTION),
  examples: [
    ["previews set --protection members", "let in only workspace members"],
    ["previews set --exempt-path '/api/webhooks/*'", "let webhooks in"],
  ],
  async run({ flags }, ctx) {
    const body = definedOnly({
      protection: flags.protection,
      allowCidrs: entriesOf(flags.allowCidr),
      exemptPaths: entriesOf(flags.exemptPath),
      exemptOptions: flags.exemptOptions,
    });
    if (Object.keys(body).length === 0) {
      throw new CliError("usage", "Nothing to change: set at least one flag", {
        hint: "svc previews set --help lists them",
      });
    }
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const access = await client.call(updatePreviewAccess, {
      params: { project: project.id },
      body,
    });
    ctx.ui.done("deploy", `Updated preview access for ${project.name}`);
    ctx.ui.result({ previews: access }, formatAccess(access));
  },
});
