import { Option } from "@commander-js/extra-typings";
import { FRAMEWORKS } from "../../manifest/mod.ts";
import { rollingSteps, stepTime } from "./rolling.ts";
import { defineCommand } from "../command/command.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Uploads only new and changed files. Rules in svc.rules.toml next to svc.toml go live with the deployment. File hashes are cached in .svc/cache to make the next deployment faster. git ignores that folder, and you can delete it.",
  define: (command) =>
    command
      .argument("[dir]", "project directory (default: the nearest one with a svc.toml)")
      .option("--prod", "deploy to production")
      .option("--environment <name-or-id>", "deploy to this environment")
      .option(...PROJECT_OPTION)
      .option("--skip-build", "deploy the existing output without building")
      .option("--build-command <command>", "build with this command")
      .option("--skip-env-check", "skip the check for variables that svc.toml requires")
      .addOption(
        new Option("--framework <name>", "framework to use instead of the detected one").choices(
          FRAMEWORKS.map(({ id }) => id),
        ),
      )
      .option(
        "--branch <branch>",
        "branch of the deployment (default: the git branch, or commit-<sha>)",
      )
      .option("--message <text>", "the deployment's message (default: the commit's)")
      .option("--dry-run", "build and run all checks, but do not deploy")
      .option("--rolling <shares>", "release in steps, such as 5,25,100", rollingSteps)
      .option("--every <time>", "duration of each step (default: 10m)", stepTime),
  examples: [
    ["deploy", "build this project and deploy a preview"],
    ["deploy --prod", "deploy to production"],
    [
      "deploy --prod --rolling 5,25,100 --every 10m",
      "release in steps and compare the deployments",
    ],
    ["deploy --environment staging", "deploy to a custom environment"],
    ["deploy ./site --project-id blog --skip-build --json", "for scripts"],
  ],
  async run({ args: [dir], flags }, ctx) {
    // Imported on demand, because help and completion do not need the build code.
    const { deployProject } = await import("./deploy_project.ts");
    await deployProject(ctx, dir, flags);
  },
});
