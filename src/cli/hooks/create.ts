import { Option } from "@commander-js/extra-typings";
import { createHook, HOOK_SCOPES } from "../../contract/hooks.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

export default defineCommand({
  description:
    "Prints the hook's URL once. Anyone who has it can deploy. Scope Production deploys only the production branch. Preview creates previews. All deploys the production branch to production and other branches as previews.",
  define: (command) =>
    command
      .requiredOption("--name <text>", "name of the hook")
      .option(
        "--branch <branch>",
        "branch, or a pattern such as 'release/*' (default: the production branch)",
      )
      .addOption(
        new Option("--scope <scope>", "environments it deploys to").choices(HOOK_SCOPES).default(
          "All" as const,
        ),
      )
      .option("--only-branch", "refuse other branches; always on with a pattern")
      .option("--signed", "create a signing secret, and refuse requests without a valid signature")
      .option(...PROJECT_OPTION),
  examples: [
    ["hooks create --name cms --scope Production", "for a CMS that publishes content"],
    ["hooks create --name github --signed", "for webhooks from a forge"],
    ["hooks create --name ci --branch 'release/*' --scope Preview", "for releases only"],
  ],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { url, secret, ...hook } = await client.call(createHook, {
      body: {
        projectId: project.id,
        name: flags.name,
        branch: flags.branch ?? project.branch,
        scope: flags.scope,
        ...(flags.onlyBranch === true ? { restrictBranch: true } : {}),
        ...(flags.signed === true ? { signed: true } : {}),
      },
    });
    ctx.ui.done("deploy", `Created deploy hook ${printable(hook.name)} for ${project.name}`);
    if (project.gitUrl === null) {
      ctx.ui.note(
        `The hook builds commits that you push to the platform (svc link --git-remote). To use another repository: svc projects update ${project.name} --git-url <url>`,
      );
    }
    ctx.ui.note("Copy the URL now. It is a secret, and you won't see it again");
    ctx.ui.result({ hook, url, secret }, secret === null ? url : `${url}\nsecret ${secret}`);
  },
});
