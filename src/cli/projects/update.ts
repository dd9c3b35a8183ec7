import { Option } from "@commander-js/extra-typings";
import { FRAMEWORKS, updateProject } from "../../contract/projects.ts";
import { defineCommand } from "../command/command.ts";
import { booleanValue } from "../command/option_values.ts";
import { definedOnly } from "../command/defined_only.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatProject } from "./show_project.ts";

/** Returns the values that were given. An empty value clears the setting. */
function clearable<T extends Record<string, string | undefined>>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> | null } {
  const entries = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value === "" ? null : value]);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> | null };
}

export default defineCommand({
  description: "An empty value clears a setting: --display-name ''.",
  define: (command) =>
    command
      .argument("<id>", "ID or name of the project")
      .option("--display-name <text>", "display name")
      .option("--git-url <url>", "repository to build from")
      .option("--branch <branch>", "production branch")
      .addOption(new Option("--framework <name>", "framework").choices(FRAMEWORKS))
      .option("--install-command <command>", "install command")
      .option("--build-command <command>", "build command")
      .option("--output-directory <dir>", "build output directory")
      .option("--root-directory <dir>", "root directory of the project in its repository")
      .option("--node-version <version>", "Node version for builds, such as 24")
      .option(
        "--auto-redeploy <true|false>",
        "redeploy when a URL used in a variable changes",
        booleanValue,
      ),
  offers: { id: "project" },
  examples: [
    ["projects update blog --build-command 'npm run build'", "change the build command"],
    ["projects update blog --display-name 'The blog'", "change the display name"],
  ],
  async run({ args: [id], flags }, ctx) {
    const { branch, framework, autoRedeploy, ...texts } = flags;
    const body = { ...clearable(texts), ...definedOnly({ branch, framework, autoRedeploy }) };
    if (Object.keys(body).length === 0) {
      throw new CliError("usage", "Nothing to change: set at least one flag", {
        hint: "See svc projects update --help",
      });
    }
    const client = ctx.client({ phase: "projects" });
    const project = await client.call(updateProject, { params: { project: id }, body });
    ctx.ui.done("projects", `Updated project ${project.name}`);
    ctx.ui.result({ project }, formatProject(project));
  },
});
