import { Option } from "@commander-js/extra-typings";
import { basename } from "node:path";
import { ApiError } from "../../client/errors.ts";
import { FRAMEWORKS } from "../../contract/projects.ts";
import { defineCommand } from "../command/command.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { assertCanBind, bindFolder } from "./bind_folder.ts";
import { buildBranch } from "./build_branch.ts";
import { createProject } from "./create_project.ts";
import { rootDirectoryOf } from "./git_remote.ts";
import { openProjectFolder } from "./project_folder.ts";
import { checkProjectName, toProjectName } from "./resolve_project.ts";
import { formatProject } from "./show_project.ts";

async function nameOf(given: string | undefined, ctx: Context): Promise<string> {
  if (given !== undefined) {
    const wrong = checkProjectName(given);
    if (wrong === undefined) return given;
    throw new CliError(
      "usage",
      `--name ${wrong.charAt(0).toLowerCase()}${wrong.slice(1)}: it is "${given}"`,
      {
        hint: `Did you mean ${toProjectName(given)}?`,
        next: [ctx.lines.again({ "--name": toProjectName(given) })],
      },
    );
  }
  const suggested = toProjectName(basename(ctx.cwd));
  if (ctx.prompter === undefined) {
    throw actionRequired("No project name: use --name", [
      ctx.lines.again({ "--name": suggested }),
    ]);
  }
  return await ctx.prompter.text({
    message: "Name of the project",
    initial: suggested,
    validate: checkProjectName,
  });
}

/**
 * Explains how to build a repository that the platform cannot read yet. Returns other errors
 * unchanged.
 */
function explainUnreadable(
  { lines }: Context,
  error: unknown,
  { name, gitUrl = "" }: { readonly name: string; readonly gitUrl: string | undefined },
): unknown {
  const isUnreadable = error instanceof ApiError && error.code === "invalid_request" &&
    error.problems.some(({ path }) => path === "body.gitUrl");
  if (!isUnreadable) return error;
  return new CliError("not_found", error.message, {
    hint: "No project was created. Check the URL. For a private repository, create the project " +
      "without --deploy, and then add its credentials",
    next: [
      lines.of("projects", "create", "--name", name, "--git-url", gitUrl),
      lines.of("projects", "git-credentials", name, "--stdin"),
      lines.of("builds", "start", "--project-id", name),
    ],
    cause: error,
  });
}

export default defineCommand({
  define: (command) =>
    command
      .option("--name <name>", "name, used in its URLs (required)")
      .option("--display-name <text>", "display name")
      .option("--git-url <url>", "repository to build from")
      .option("--branch <branch>", "production branch", "main")
      .addOption(new Option("--framework <name>", "framework").choices(FRAMEWORKS))
      .option("--install-command <command>", "install command")
      .option("--build-command <command>", "build command")
      .option("--output-directory <dir>", "build output directory")
      .option(
        "--root-directory <dir>",
        "root directory of the project in its repository (default: the linked one)",
      )
      .option("--node-version <version>", "Node version for builds, such as 24")
      .option("--link", "link the current directory to the project")
      .option("--deploy", "build the production branch of --git-url now, and follow the build"),
  examples: [
    ["projects create --name blog", "create a project named blog"],
    [
      "projects create --name shop --git-url https://git.example.com/ada/shop.git --deploy",
      "build and deploy a repository",
    ],
    [
      "projects create --name shop --framework astro --link",
      "create it and link this directory to it",
    ],
  ],
  async run({ flags }, ctx) {
    const { link, name: given, deploy = false, ...settings } = flags;
    if (deploy && settings.gitUrl === undefined) {
      throw new CliError("usage", "--deploy needs --git-url");
    }
    const folder = link === true ? await openProjectFolder(ctx, ".") : undefined;
    if (folder !== undefined) await assertCanBind(ctx, folder);
    const name = await nameOf(given, ctx);
    const rootDirectory = settings.rootDirectory ??
      (folder === undefined ? undefined : await rootDirectoryOf(folder.directory));
    const client = ctx.client({
      phase: "projects",
      folder,
    });
    const project = await createProject(ctx, client, {
      body: { name, ...settings, rootDirectory, ...(deploy ? { verifyRepository: true } : {}) },
      phase: "projects",
      hasNameFlag: true,
    }).catch((error) => {
      throw deploy ? explainUnreadable(ctx, error, { name, gitUrl: settings.gitUrl }) : error;
    });
    if (folder !== undefined) await bindFolder(ctx, folder, project);
    const linked = folder !== undefined;
    if (!deploy) {
      return ctx.ui.result({ project, linked, deployment: null }, formatProject(project));
    }
    const deployment = await buildBranch(ctx, client, { project });
    ctx.ui.result({ project, linked, deployment }, deployment.urls.production);
  },
});
