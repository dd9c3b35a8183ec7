/** @module Shows a project's logs, or a deployment's build log with `--build`. */
import { Option } from "@commander-js/extra-typings";
import { collectPages } from "../../client/collect_pages.ts";
import { followEvents } from "../../client/events.ts";
import {
  followLogs,
  listLogs,
  LOG_LEVELS,
  LOG_LIMIT_DEFAULT,
  LOG_LIMIT_MAX,
  type LogEntry,
} from "../../contract/logs.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId, parseSince, wholeNumber } from "../command/option_values.ts";
import { type MissingNodes, warnOfMissingNodes } from "../command/missing_nodes.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatDuration, printable } from "../terminal/format.ts";
import type { Palette } from "../terminal/color.ts";
import type { Client } from "../../client/client.ts";
import { type BuildLogLine, followBuildLog, getBuildLog } from "../../contract/build_logs.ts";
import { listDeployments } from "../../contract/deployments.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

function formatLine({ level, text }: BuildLogLine, colors: Palette): string {
  const paint = { output: (plain: string) => plain, info: colors.cyan, warn: colors.yellow };
  return (level === "error" ? colors.red : paint[level])(printable(text));
}

/** Returns the project's newest deployment. */
async function newestDeployment(
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

/** Prints the lines of the log. With `follow`, continues until the build finishes. */
async function showBuildLog(
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
      ctx.ui.note(
        isComplete ? "The platform did not build this deployment" : "The build has not started",
      );
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

/** Maximum number of entries in one result. */
const MAX_LISTED = 100_000;

function colorOfStatus(status: number, colors: Palette): (text: string) => string {
  if (status >= 500) return colors.red;
  if (status >= 400) return colors.yellow;
  return status >= 300 ? colors.cyan : colors.green;
}

type Written = Exclude<LogEntry, { readonly type: "request" }>;

/** Formats what a function or server wrote: a line, and a stack trace if there is one. */
function formatWritten(entry: Written, colors: Palette): string {
  const paint = { error: colors.red, warn: colors.yellow, info: colors.cyan, debug: colors.dim };
  const [writer, stack] = entry.type === "function"
    ? [entry.function, entry.stack]
    : [entry.layer, null];
  const line = [
    colors.dim(entry.time),
    paint[entry.level](entry.level),
    printable(`${writer}: ${entry.message}`),
    colors.dim(printable(entry.requestId ?? "")),
  ].join(" ").trimEnd();
  return stack === null ? line : `${line}\n${printable(stack)}`;
}

/** Formats a log entry as text that cannot control the terminal. */
function formatLogEntry(entry: LogEntry, colors: Palette): string {
  if (entry.type !== "request") return formatWritten(entry, colors);
  const error = entry.error === undefined ? "" : ` ${entry.error}`;
  const hits = (entry.rules ?? []).map(({ outcome, ruleId }) => ` ${outcome}:${ruleId}`).join("");
  const through = entry.edge === undefined ? "" : ` via ${entry.edge}`;
  const size = entry.bytes === null ? "streamed" : `${entry.bytes} B`;
  return [
    colors.dim(entry.time),
    colorOfStatus(entry.status, colors)(String(entry.status)),
    printable(entry.method),
    printable(`${entry.host}${entry.path}`),
    colors.dim(
      `${size} ${formatDuration(entry.durationMs)} ${printable(entry.ip)}${printable(through)}`,
    ),
  ].join(" ") + printable(hits) + colors.red(printable(error));
}

export default defineCommand({
  description:
    "Shows past entries, oldest first. With --follow and --json, each entry is one JSON object per line.",
  define: (command) =>
    command
      .argument("[deployment]", "same as --deployment-id", deploymentId)
      .option("--build", "show the build log (default: the newest deployment's)")
      .option("--deployment-id <id>", "only entries from this deployment", deploymentId)
      .option(...PROJECT_OPTION)
      .option(
        "--limit <n>",
        "number of entries",
        wholeNumber({ min: 1, max: MAX_LISTED }),
        LOG_LIMIT_DEFAULT,
      )
      .option("--search <query>", "only entries that contain this text")
      .addOption(
        new Option("--level <level>", "only entries at this level and above")
          .choices(LOG_LEVELS),
      )
      .option("--since <time>", "only entries since this time: 15m, 2h or 1d ago, or an ISO date")
      .addOption(
        new Option(
          "--until <time>",
          "only entries before this time: 15m, 2h or 1d ago, or an ISO date",
        )
          .conflicts("follow"),
      )
      .option("--environment <name>", "only entries from this environment's deployments")
      .option("--status <status>", "only requests with this status or class: 404, 5xx")
      .option("--method <method>", "only requests with this method")
      .option("--host <host>", "only requests to this host")
      .option("--path <path>", "only requests to this path; /api/* for all paths below /api/")
      .option("--request <id>", "only this request and the log lines written during it")
      .option(
        "--slower-than <ms>",
        "only requests that took at least this many milliseconds",
        wholeNumber({ min: 0, max: 3_600_000 }),
      )
      .option("--follow", "keep showing new entries until you stop it"),
  examples: [
    ["logs", "show the last 50 entries from requests, functions and servers"],
    ["logs --level error --since 1d", "show errors since yesterday"],
    ["logs --status 5xx --since 1h", "show failed requests in the last hour"],
    ["logs --path '/api/*' --slower-than 500", "show slow requests below /api/"],
    ["logs --build --follow", "follow the build of the newest deployment"],
    ["logs --follow --json", "follow as one JSON object per line"],
  ],
  async run({ args, flags }, ctx) {
    const deployment = flags.deploymentId ?? args[0];
    const since = flags.since === undefined ? undefined : parseSince(flags.since, ctx.now());
    const until = flags.until === undefined ? undefined : parseSince(flags.until, ctx.now());
    const follow = flags.follow === true;
    if (flags.build === true && deployment !== undefined) {
      // A deployment's ID is sufficient without a project.
      return await showBuildLog(ctx, ctx.client({ phase: "deploy" }), { deployment, follow });
    }
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    if (flags.build === true) {
      const newest = await newestDeployment(client, project.id);
      return await showBuildLog(ctx, client, { deployment: newest, follow });
    }
    const params = { project: project.id };
    const filter = {
      deploymentId: deployment,
      environment: flags.environment,
      search: flags.search,
      level: flags.level,
      requestId: flags.request,
      status: flags.status?.toLowerCase(),
      method: flags.method,
      host: flags.host,
      path: flags.path,
      minDurationMs: flags.slowerThan,
    };
    let missing: MissingNodes;
    const { items, nextCursor } = await collectPages(
      async (page) => {
        const found = await client.call(listLogs, {
          params,
          query: { ...filter, since, until, ...page },
        });
        missing ??= found.missingNodes;
        return found;
      },
      { limit: flags.limit, pageSize: LOG_LIMIT_MAX },
    );
    warnOfMissingNodes(ctx, missing);
    items.sort((left, right) => left.time < right.time ? -1 : left.time > right.time ? 1 : 0);
    const line = (entry: LogEntry) => formatLogEntry(entry, ctx.ui.dataColors);
    if (!follow) {
      if (items.length === 0) ctx.ui.note("No log entries");
      const result = { entries: items, nextCursor, missingNodes: missing };
      ctx.ui.result(result, items.map(line).join("\n"));
      return;
    }
    for (const entry of items) ctx.ui.item(entry, line(entry));
    const { signal } = ctx;
    const entries = followEvents(client, followLogs, {
      params,
      query: filter,
      signal,
      onMissingNode: (node) => warnOfMissingNodes(ctx, [node]),
    });
    for await (const entry of entries) ctx.ui.item(entry, line(entry));
  },
});
