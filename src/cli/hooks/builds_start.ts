import { defineCommand } from "../command/command.ts";
import { oldForce, wantsRebuild } from "../command/renamed_flag.ts";
import { buildBranch } from "../projects/build_branch.ts";
import { openProject } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "The platform fetches the project's git URL, builds the commit and puts it live: the " +
    "production branch in production, others as previews. An older build of the branch ends.",
  define: (command) =>
    command
      .option("--branch <branch>", "branch to build (default: the production branch)")
      .option("--commit <sha>", "commit to build, 7 to 40 digits (default: the branch's head)")
      .option("--rebuild", "build even what is deployed already, or has not changed")
      .addOption(oldForce())
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["builds start", "build the head of the production branch"],
    ["builds start --branch menu", "make a preview of a branch"],
  ],
  async run({ flags }, ctx) {
    const { projectId, branch, commit: commitSha } = flags;
    const rebuild = wantsRebuild(ctx, flags, "build");
    const { client, project } = await openProject(ctx, { given: projectId, phase: "build" });
    const deployment = await buildBranch(ctx, client, { project, branch, commitSha, rebuild });
    ctx.ui.result({ deployment }, deployment.url);
  },
});
