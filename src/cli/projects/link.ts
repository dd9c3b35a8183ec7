import { basename } from "node:path";
import type { Project } from "../../contract/projects.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { assertCanBind, bindFolder } from "./bind_folder.ts";
import { addGitRemote, assertCheckout, rootDirectoryOf } from "./git_remote.ts";
import { openProjectFolder, type ProjectFolder } from "./project_folder.ts";
import {
  chooseProject,
  createLine,
  findProject,
  hintAtProjects,
  PROJECT_OPTION,
  toProjectName,
} from "./resolve_project.ts";

async function pickProject(
  ctx: Context,
  folder: ProjectFolder,
  given: string | undefined,
): Promise<Project> {
  const client = ctx.client({ phase: "link", folder });
  const reference = given ?? folder.config?.project.name;
  const project = reference === undefined ? undefined : await findProject(client, reference);
  if (project !== undefined) return project;
  if (given !== undefined) {
    throw new CliError("not_found", `The platform has no project "${given}"`, {
      hint: await hintAtProjects(client, given),
      next: [
        ctx.lines.of("projects", "list"),
        createLine(ctx, folder, toProjectName(given)),
      ],
    });
  }
  const name = reference ?? toProjectName(basename(folder.directory));
  if (ctx.prompter !== undefined) return await chooseProject(ctx, client, name);
  throw new CliError("action_required", "No project: use --project-id", {
    hint: await hintAtProjects(client, reference),
    next: [ctx.lines.of("projects", "list"), createLine(ctx, folder, name)],
  });
}

/** Warns if a push would not build the linked folder. */
async function warnOfRoot(
  ctx: Context,
  { directory }: ProjectFolder,
  { name, rootDirectory }: Project,
): Promise<void> {
  const here = await rootDirectoryOf(directory);
  if ((rootDirectory ?? undefined) === here) return;
  const update = ctx.lines.of("projects", "update", name, "--root-directory", here ?? "");
  const built = rootDirectory ?? "the root of the repository";
  ctx.ui.log("link", "warn", `A push builds ${built}. To build this folder instead: ${update}`);
}

export default defineCommand({
  define: (command) =>
    command
      .argument("[dir]", "directory to link", ".")
      .option(...PROJECT_OPTION)
      .option("--git-remote", "add a git remote: `git push svc main` deploys the project"),
  examples: [
    ["link", "choose a project for this directory"],
    ["link ./site --project-id blog", "link ./site to the project blog"],
    ["link --git-remote", "deploy with `git push svc main`"],
  ],
  async run({ args: [dir], flags }, ctx) {
    const folder = await openProjectFolder(ctx, dir);
    await assertCanBind(ctx, folder);
    if (flags.gitRemote === true) await assertCheckout(ctx, folder.directory);
    const project = await pickProject(ctx, folder, flags.projectId);
    await bindFolder(ctx, folder, project);
    if (flags.gitRemote === true) await warnOfRoot(ctx, folder, project);
    const gitRemote = flags.gitRemote === true
      ? await addGitRemote(ctx, folder.directory, project)
      : null;
    const { directory, configPath: config } = folder;
    ctx.ui.result({ project, directory, config, gitRemote }, "");
  },
});
