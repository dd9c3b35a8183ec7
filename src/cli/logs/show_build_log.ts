/**
 * `svc logs --build`: the build log of a deployment.
 *
 * @module
 */
import type { Client } from "../../client/client.ts";
import { followEvents } from "../../client/events.ts";
import { type BuildLogLine, followBuildLog, getBuildLog } from "../../contract/build_logs.ts";
import { listDeployments } from "../../contract/deployments.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { warnOfMissingNodes } from "../command/missing_nodes.ts";
import type { Palette } from "../terminal/color.ts";
import { printable } from "../terminal/format.ts";

function formatLine({ level, text }: BuildLogLine, colors: Palette): string {
  const paint = { output: (plain: string) => plain, info: colors.cyan, warn: colors.yellow };
  return (level === "error" ? colors.red : paint[level])(printable(text));
}

/** The project's newest deployment. */
export async function newestDeployment(
  client: Client,
  project: string,
): Promise<string> {
  const { items: [newest] } = await client.call(listDeployments, {
    params: { project },
    query: { limit: 1 },
  });
  if (newest !== undefined) return newest.id;
  throw new CliError("not_found", "This project has no deployments yet", {
    hint: "Create one with `svc deploy`",
  });
}

/** Prints the lines so far; with `follow`, continues to the end of the build. */
export async function showBuildLog(
  ctx: Context,
  client: Client,
  options: { readonly deployment: string; readonly follow: boolean },
): Promise<void> {
  const params = { deployment: options.deployment };
  const line = (each: BuildLogLine) => formatLine(each, ctx.ui.dataColors);
  if (!options.follow) {
    const log = await client.call(getBuildLog, { params });
    const { lines, isComplete, missingNodes } = log;
    warnOfMissingNodes(ctx, missingNodes);
    if (lines.length === 0 && missingNodes === undefined) {
      ctx.ui.note(isComplete ? "This deployment was not built here" : "The build has not started");
    }
    ctx.ui.result({ ...params, ...log }, lines.map(line).join("\n"));
    return;
  }
  const { signal } = ctx;
  for await (const part of followEvents(client, followBuildLog, { params, signal })) {
    for (const each of part.lines) ctx.ui.item(each, line(each));
    if (part.isComplete) return;
  }
}
