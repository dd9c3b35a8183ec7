import { Option } from "@commander-js/extra-typings";
import { FRAMEWORKS } from "../../manifest/mod.ts";
import { defineCommand } from "../command/command.ts";

export default defineCommand({
  description:
    "Files that the platform already has are not sent again. The rules of a svc.rules.toml " +
    "beside svc.toml go live with the deployment. Hashes of files are kept in .svc/cache, so " +
    "that the next deploy is faster; git ignores it, and it can be removed.",
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .option("--prod", "deploy to production")
      .option("--environment <name-or-id>", "deploy to this environment")
      .option("--project-id <id>", "id or name of the project")
      .option("--skip-build", "deploy the existing output without building")
      .option("--build-command <command>", "build with this command")
      .option("--skip-env-check", "do not check the variables that svc.toml declares as required")
      .addOption(
        new Option("--framework <name>", "framework, instead of the detected one").choices(
          FRAMEWORKS.map(({ id }) => id),
        ),
      )
      .option(
        "--branch <branch>",
        "branch of the deployment (default: git's, else commit-<sha>)",
      )
      .option("--message <text>", "message of the deployment (default: the commit's)")
      .option("--dry-run", "build and run all checks of a deploy, but deploy nothing"),
  examples: [
    ["deploy", "build this project and deploy a preview"],
    ["deploy --prod", "deploy to production"],
    ["deploy --environment staging", "deploy to an environment that the project has created"],
    ["deploy ./site --project-id blog --skip-build --json", "for scripts"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Help and completion need nothing that builds.
    const { deployProject } = await import("./deploy_project.ts");
    await deployProject(ctx, dir, flags);
  },
});
