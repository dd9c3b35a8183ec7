import { basename } from "node:path";
import type { Project } from "../../contract/mod.ts";
import { bindFolder } from "../bind_folder.ts";
import { actionRequired, CliError } from "../cli_error.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { assertCanBind } from "../local_checks.ts";
import { openProjectFolder, type ProjectFolder } from "../project_folder.ts";
import { chooseProject, findProject, toProjectName } from "../resolve_project.ts";

async function pickProject(
  ctx: Context,
  folder: ProjectFolder,
  given: string | undefined,
): Promise<Project> {
  const client = ctx.client({ phase: "link", workspace: folder.config?.project.workspace });
  const reference = given ?? folder.config?.project.name;
  const project = reference === undefined ? undefined : await findProject(client, reference);
  if (project !== undefined) return project;
  if (given !== undefined) {
    throw new CliError("not_found", `Name an existing project: the platform has no "${given}"`, {
      next: ["svc projects list", `svc projects create --name ${toProjectName(given)} --link`],
    });
  }
  const name = reference ?? toProjectName(basename(folder.directory));
  if (ctx.prompter !== undefined) return await chooseProject(ctx, client, name);
  throw actionRequired("Name the project with --project-id", [
    "svc projects list",
    "svc link --project-id <id>",
    `svc projects create --name ${name} --link`,
  ]);
}

export default defineCommand({
  define: (command) =>
    command
      .argument("[dir]", "directory to bind", ".")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["link", "choose a project for this directory"],
    ["link ./site --project-id blog", "bind ./site to the project blog"],
  ],
  answers: "{ project, directory, config }",
  async run({ args: [dir], flags }, ctx) {
    const folder = await openProjectFolder(ctx, dir);
    await assertCanBind(ctx, folder);
    const project = await pickProject(ctx, folder, flags.projectId);
    await bindFolder(ctx, folder, project);
    ctx.ui.result({ project, directory: folder.directory, config: folder.configPath }, "");
  },
});
