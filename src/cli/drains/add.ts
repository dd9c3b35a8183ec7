import { createDrain } from "../../contract/drains.ts";
import { defineCommand } from "../command/command.ts";
import { httpUrl, repeated } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";

/**
 * Reads `name=VARIABLE`. The value comes from the environment and does not appear on the command
 * line.
 */
function readHeader(text: string, env: Context["env"]): [name: string, value: string] {
  const [, name, variable] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(text) ?? [];
  if (name === undefined || variable === undefined) {
    throw new CliError("usage", "--header must be name=VARIABLE, such as authorization=OTLP_TOKEN");
  }
  const value = env[variable];
  if (value === undefined || value === "") {
    throw new CliError("usage", `Set the variable ${variable} to the value of the header ${name}`);
  }
  return [name, value];
}

export default defineCommand({
  description:
    "Sends errors, metrics, and logs of requests, servers, functions and builds over OTLP/HTTP. Values of secrets are masked.",
  define: (command) =>
    command
      .argument("<url>", "base URL of the endpoint; /v1/logs and /v1/metrics are added", httpUrl)
      .option(
        "--header <name=VARIABLE>",
        "header, and the environment variable with its value; repeatable",
        repeated,
      )
      .option(...PROJECT_OPTION),
  examples: [
    ["drains add https://otlp.example.com --header authorization=OTLP_TOKEN", "with a credential"],
  ],
  async run({ args: [url], flags }, ctx) {
    const headers = Object.fromEntries(
      (flags.header ?? []).map((text) => readHeader(text, ctx.env)),
    );
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const drain = await client.call(createDrain, {
      params: { project: project.id },
      body: { url, headers },
    });
    ctx.ui.done("deploy", `Added drain ${drain.id}`);
    ctx.ui.note(`Test it with \`svc drains test ${drain.id}\``);
    ctx.ui.result({ drain }, "");
  },
});
