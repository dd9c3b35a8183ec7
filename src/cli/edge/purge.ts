import { purgeCache } from "../../contract/cache.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount } from "../terminal/format.ts";

interface PurgeFlags {
  readonly path: string | undefined;
  readonly prefix: string | undefined;
  readonly tag: string | undefined;
}

function scopeOf({ path, prefix, tag }: PurgeFlags) {
  const given = [path, prefix, tag].filter((value) => value !== undefined);
  if (given.length > 1) throw new CliError("usage", "Use only one of --path, --prefix and --tag");
  if (path !== undefined) return { type: "path", path } as const;
  if (prefix !== undefined) return { type: "prefix", prefix } as const;
  return tag === undefined ? { type: "all" } as const : { type: "tag", tag } as const;
}

export default defineCommand({
  description: "Each deployment and rollback starts with an empty cache.",
  define: (command) =>
    command
      .option("--path <path>", "only responses for this path, with any query")
      .option("--prefix <prefix>", "only responses for paths that begin with this prefix")
      .option("--tag <tag>", "only responses with this tag in `Cache-Tag`")
      .option("--soft", "mark as stale: serve old responses while they are refreshed")
      .option("--environment <name-or-id>", "only deployments of this environment")
      .option(...PROJECT_OPTION),
  examples: [
    ["cache purge", "clear all cached responses of this project"],
    ["cache purge --prefix /blog/", "clear the responses below /blog/"],
    ["cache purge --tag posts --soft", "refresh all responses with the tag posts"],
  ],
  async run({ flags: { path, prefix, tag, soft = false, environment, projectId } }, ctx) {
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const answer = await client.call(purgeCache, {
      params: { project: project.id },
      body: { ...scopeOf({ path, prefix, tag }), soft, environment },
    });
    const cleared = formatCount(answer.purged, "response");
    ctx.ui.done("deploy", soft ? `Marked ${cleared} as stale` : `Cleared ${cleared}`);
    ctx.ui.result(answer, "");
  },
});
