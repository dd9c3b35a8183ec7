import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { openProject } from "../projects/mod.ts";
import { formatCount } from "../terminal/mod.ts";

export default defineCommand({
  description: "A deploy and a rollback start with an empty cache anyway.",
  define: (command) =>
    command
      .option("--path <path>", "only responses for this path, with any query")
      .option("--prefix <prefix>", "only responses for paths that begin with this prefix")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["purge", "clear all cached responses of this project"],
    ["purge --prefix /blog/", "clear those of the blog"],
  ],
  answers: "{ purged }",
  async run({ flags: { path, prefix, projectId } }, ctx) {
    if (path !== undefined && prefix !== undefined) {
      throw new CliError("usage", "Give --path or --prefix, not both");
    }
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const body = path !== undefined
      ? { type: "path" as const, path }
      : prefix !== undefined
      ? { type: "prefix" as const, prefix }
      : { type: "all" as const };
    const answer = await client.call(endpoints.purgeCache, {
      params: { project: project.id },
      body,
    });
    ctx.ui.done("deploy", `Cleared ${formatCount(answer.purged, "response")}`);
    ctx.ui.result(answer, "");
  },
});
