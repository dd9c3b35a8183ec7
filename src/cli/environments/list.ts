import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { listEnvironments, readContext } from "./choose_environment.ts";

export default defineCommand({
  description: "A star marks this checkout's environment.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["environments list", "show the environments of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const environments = await listEnvironments(client, project);
    const context = await readContext(ctx, folder.directory);
    const current = context?.projectId === project.id ? context.environment.id : undefined;
    const rows = environments.map(({ id, name, url, isBuiltIn }) => [
      id === current ? `${name} *` : name,
      isBuiltIn ? "built-in" : "own",
      url ?? "one per branch",
      id,
    ]);
    ctx.ui.result(
      { environments, context: current ?? null },
      ctx.ui.table(["NAME", "KIND", "URL", "ID"], rows),
    );
  },
});
