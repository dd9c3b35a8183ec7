import { defineCommand } from "../command/command.ts";
import { oldForce, wantsRebuild } from "../command/renamed_flag.ts";
import { buildBranch } from "../projects/build_branch.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Fetches the project's git URL, builds the commit and deploys it: the production branch to production, other branches as previews. Cancels older builds of the branch.",
  define: (command) =>
    command
      .option("--branch <branch>", "branch to build (default: the production branch)")
      .option(
        "--commit <sha>",
        "commit to build, 7 to 40 hexadecimal digits (default: the branch's head)",
      )
      .option("--rebuild", "build even if the commit is already deployed or nothing changed")
      .addOption(oldForce())
      .option(...PROJECT_OPTION),
  examples: [
    ["builds start", "build the head of the production branch"],
    ["builds start --branch menu", "build a preview of a branch"],
  ],
  async run({ flags }, ctx) {
    const { projectId, branch, commit: commitSha } = flags;
    const rebuild = wantsRebuild(ctx, flags, "build");
    const { client, project } = await openProject(ctx, { given: projectId, phase: "build" });
    const deployment = await buildBranch(ctx, client, { project, branch, commitSha, rebuild });
    ctx.ui.result({ deployment }, deployment.url);
  },
});
