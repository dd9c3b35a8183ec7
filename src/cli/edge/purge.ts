import { endpoints } from "../../contract/mod.ts";
import { defineCommand } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { openProject } from "../projects/mod.ts";
import { formatCount } from "../terminal/mod.ts";

export default defineCommand({
  description: "A deploy and a rollback begin with an empty cache by themselves.",
  define: (command) =>
    command
      .option("--path <path>", "only answers for this path, with any query")
      .option("--prefix <prefix>", "only answers for paths that begin with this")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["purge", "forget all cached answers of this project"],
    ["purge --prefix /blog/", "forget those of the blog"],
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
    ctx.ui.done("deploy", `Forgot ${formatCount(answer.purged, "answer")}`);
    ctx.ui.result(answer, "");
  },
});
