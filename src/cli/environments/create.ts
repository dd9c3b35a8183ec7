import { createEnvironment, environmentName } from "../../contract/environments.ts";
import { SCOPE_ALL } from "../../contract/variables.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

function checkName(name: string): void {
  const wrong = environmentName.safeParse(name).error?.issues[0]?.message;
  if (wrong === undefined && name !== SCOPE_ALL) return;
  const reason = wrong ?? 'Must not be "all", which stands for all environments';
  throw new CliError(
    "usage",
    `Cannot use the name "${printable(name)}": ${reason}`,
  );
}

export default defineCommand({
  description: "The environment has its own variables, deployments and URL.",
  define: (command) =>
    command
      .argument("<name>", "up to 20 lowercase letters, digits and hyphens")
      .option(...PROJECT_OPTION),
  examples: [["environments create staging", "create the environment staging"]],
  async run({ args: [name], flags }, ctx) {
    checkName(name);
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "env" });
    const environment = await client.call(createEnvironment, {
      params: { project: project.id },
      body: { name },
    });
    ctx.ui.done("env", `Created environment ${name} of ${project.name}`);
    ctx.ui.note(`Next: ${ctx.lines.ofProject("deploy", "--environment", name)}`);
    ctx.ui.result({ environment }, environment.url ?? "");
  },
});
