import { collectPages, followEvents } from "../../client/mod.ts";
import { endpoints, LOG_LIMIT_DEFAULT, LOG_LIMIT_MAX, type LogEntry } from "../../contract/mod.ts";
import { defineCommand } from "../command.ts";
import type { Palette } from "../color.ts";
import { formatDuration, printable } from "../format.ts";
import { deploymentId, parseSince, wholeNumber } from "../option_values.ts";
import { openProjectFolder } from "../project_folder.ts";
import { definedOnly } from "../project_settings.ts";
import { resolveProject } from "../resolve_project.ts";

/** Most entries of one answer. */
const MAX_LISTED = 100_000;

function colorOfStatus(status: number, colors: Palette): (text: string) => string {
  if (status >= 500) return colors.red;
  if (status >= 400) return colors.yellow;
  return status >= 300 ? colors.cyan : colors.green;
}

/** What a function wrote, as a line and its stack. */
function formatFunctionEntry(
  entry: Extract<LogEntry, { readonly type: "function" }>,
  colors: Palette,
): string {
  const paint = { error: colors.red, warn: colors.yellow, info: colors.cyan, debug: colors.dim };
  const line = [
    colors.dim(entry.time),
    paint[entry.level](entry.level),
    printable(`${entry.function}: ${entry.message}`),
    colors.dim(printable(entry.requestId ?? "")),
  ].join(" ").trimEnd();
  return entry.stack === null ? line : `${line}\n${printable(entry.stack)}`;
}

/** One log entry as text; foreign text in it can not steer the terminal. */
export function formatLogEntry(entry: LogEntry, colors: Palette): string {
  if (entry.type === "function") return formatFunctionEntry(entry, colors);
  const error = entry.error === undefined ? "" : ` ${entry.error}`;
  const hits = (entry.rules ?? []).map(({ outcome, ruleId }) => ` ${outcome}:${ruleId}`).join("");
  return [
    colors.dim(entry.time),
    colorOfStatus(entry.status, colors)(String(entry.status)),
    printable(entry.method),
    printable(`${entry.host}${entry.path}`),
    colors.dim(`${entry.bytes} B ${formatDuration(entry.durationMs)} ${printable(entry.ip)}`),
  ].join(" ") + printable(hits) + colors.red(printable(error));
}

export default defineCommand({
  description: "History first, oldest at the top. With --follow and --json, each entry is an " +
    "object on a line of its own, as they have no end.",
  define: (command) =>
    command
      .option("--deployment-id <id>", "only of this deployment", deploymentId)
      .option("--project-id <id>", "id or name of the project")
      .option(
        "--limit <n>",
        "how many entries",
        wholeNumber({ min: 1, max: MAX_LISTED }),
        LOG_LIMIT_DEFAULT,
      )
      .option("--search <query>", "only entries that contain this text")
      .option("--since <time>", "only entries since then: 15m, 2h, 1d or an ISO date")
      .option("--follow", "go on with new entries until stopped"),
  examples: [
    ["logs", "show the last 50 requests to this directory's project, and what functions wrote"],
    ["logs --search 404 --since 1h", "requests of the last hour that contain 404"],
    ["logs --follow --json", "follow as one JSON object per line"],
  ],
  answers: "{ entries, nextCursor }",
  async run({ flags }, ctx) {
    const since = flags.since === undefined ? undefined : parseSince(flags.since, ctx.now());
    const { client, project } = await resolveProject(ctx, {
      folder: await openProjectFolder(ctx),
      given: flags.projectId,
      phase: "deploy",
      command: "svc logs",
    });
    const params = { project: project.id };
    const filter = definedOnly({ deploymentId: flags.deploymentId, search: flags.search });
    const { items, nextCursor } = await collectPages(
      (page) =>
        client.call(endpoints.listLogs, {
          params,
          query: { ...filter, ...definedOnly({ since }), ...page },
        }),
      { limit: flags.limit, pageSize: LOG_LIMIT_MAX },
    );
    items.sort((left, right) => left.time < right.time ? -1 : left.time > right.time ? 1 : 0);
    const line = (entry: LogEntry) => formatLogEntry(entry, ctx.ui.dataColors);
    if (flags.follow !== true) {
      if (items.length === 0) ctx.ui.note("No requests logged");
      ctx.ui.result({ entries: items, nextCursor }, items.map(line).join("\n"));
      return;
    }
    for (const entry of items) ctx.ui.item(entry, line(entry));
    const { signal } = ctx;
    const entries = followEvents(client, endpoints.followLogs, { params, query: filter, signal });
    for await (const entry of entries) ctx.ui.item(entry, line(entry));
  },
});
