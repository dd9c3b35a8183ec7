/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module `/workspaces/{slug}/projects/{project}/logs`. */
import type { ResponseOf } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { ErrorSummary } from "../../contract/errors.ts";
import { LOG_LIMIT_MAX, type LogEntry } from "../../contract/logs.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { showFragment } from "../layout/document.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { WHOLE_LIST } from "../visit/page_context.ts";
import { environmentNames } from "./environment_names.ts";
import { LogCounts } from "./log_counts.tsx";
import { logEntryPage } from "./log_entry_page.tsx";
import { filterOf, type LogSelection, logSelectionIn } from "./log_selection.ts";
import { logsPage, type LogsShown } from "./logs_page.tsx";
import { openProject, type ProjectVisit } from "./open_project.ts";

const AT = "/workspaces/:slug/projects/:project/logs";
/** Number of lines per page. */
const SIZE = 100;
/** Maximum number of pages that are read for a downloaded file. */
const FILE_PAGES = 10;
/** Maximum time between lines of one request, in milliseconds. */
const REQUEST_MS = 600_000;
/** Maximum number of errors that are checked for occurrences during a request. */
const MAX_ERRORS = 5;

const paramsOf = ({ project }: ProjectVisit) => ({ project: project.name });

/** Reads the lines for a page. If the API rejects a filter, the page shows the reason. */
async function readLines(
  parts: ProjectVisit,
  selection: LogSelection,
): Promise<Omit<LogsShown, "environments">> {
  const { cursor } = selection;
  try {
    const { missingNodes = [], ...page } = await parts.api.call(endpoints.listLogs, {
      params: paramsOf(parts),
      query: {
        ...filterOf(selection, parts.context.now),
        limit: SIZE,
        cursor: cursor ?? undefined,
      },
    });
    return { ...page, missingNodes };
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    const problems = (error.problems ?? []).map(({ message }) => message);
    return {
      items: [],
      nextCursor: null,
      missingNodes: [],
      error: [error.message, ...problems].join(". "),
    };
  }
}

async function readCounts(parts: ProjectVisit, selection: LogSelection) {
  const [summary, { items: deployments }] = await Promise.all([
    parts.api.call(endpoints.getLogSummary, {
      params: paramsOf(parts),
      query: filterOf(selection, parts.context.now),
    }),
    parts.api.call(endpoints.listDeployments, { params: paramsOf(parts), query: WHOLE_LIST }),
  ]);
  return LogCounts({ summary, selection, deployments, path: parts.path("logs") });
}

type LogPage = ResponseOf<typeof endpoints.listLogs>;

/** Sends the latest lines as a file, oldest first. If lines are missing, the file says so first. */
async function downloadLines(parts: ProjectVisit, selection: LogSelection): Promise<Response> {
  const pages: LogEntry[][] = [];
  const silent = new Map<string, string>();
  let cursor = selection.cursor;
  for (let n = 0; n < FILE_PAGES; n++) {
    const page: LogPage = await parts.api.call(
      endpoints.listLogs,
      {
        params: paramsOf(parts),
        query: {
          ...filterOf(selection, parts.context.now),
          limit: LOG_LIMIT_MAX,
          cursor: cursor ?? undefined,
        },
      },
    );
    pages.push(page.items);
    for (const { node, reason } of page.missingNodes ?? []) silent.set(node, reason);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const entries = pages.reverse().flat();
  const notes = [
    ...(cursor === null ? [] : [`Only the latest ${entries.length} lines. Narrow the time range`]),
    ...[...silent].map(([node, reason]) => `Lines of node ${node} are missing: it ${reason}`),
  ];
  const lines = [...notes.map((note) => ({ note })), ...entries]
    .map((entry) => `${JSON.stringify(entry)}\n`);
  return new Response(lines.join(""), {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="${parts.project.name}-logs.ndjson"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Finds the errors that occurred during a request. */
async function errorsOf(parts: ProjectVisit, entry: LogEntry): Promise<ErrorSummary[]> {
  const { requestId, time } = entry;
  const isFailed = entry.type === "request" ? entry.status >= 500 : entry.level === "error";
  if (requestId === null || !isFailed) return [];
  const params = paramsOf(parts);
  const { items } = await parts.api.call(endpoints.listErrors, { params, query: { limit: 50 } });
  const at = Date.parse(time);
  const near = items.filter(({ firstSeen, lastSeen }) =>
    Date.parse(firstSeen) <= at + REQUEST_MS && Date.parse(lastSeen) >= at - REQUEST_MS
  ).slice(0, MAX_ERRORS);
  const details = await Promise.all(
    near.map(({ id: error }) =>
      parts.api.call(endpoints.getError, { params: { ...params, error } })
    ),
  );
  return details.filter(({ occurrences }) =>
    occurrences.some((seen) => seen.requestId === requestId)
  );
}

/** Finds the entry in the URL and the lines of its request. @throws {Failure} `not_found` */
async function readEntry(parts: ProjectVisit, query: URLSearchParams) {
  const [at, requestId] = [Date.parse(query.get("at") ?? ""), query.get("request")];
  const unknown = () => new Failure("not_found", "This log entry no longer exists");
  if (Number.isNaN(at)) throw unknown();
  const moment = (time: number) => new Date(time).toISOString();
  const around = requestId === null
    ? { since: moment(at), until: moment(at + 1) }
    : { since: moment(at - REQUEST_MS), until: moment(at + REQUEST_MS), requestId };
  const { items } = await parts.api.call(endpoints.listLogs, {
    params: paramsOf(parts),
    query: { ...around, limit: SIZE },
  });
  const entry = items.find(({ time }) => Date.parse(time) === at);
  if (entry === undefined) throw unknown();
  return { entry, lines: requestId === null ? [] : items };
}

export function bindLogs(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const selection = logSelectionIn(visit.query);
    const [shown, environments] = await Promise.all([
      readLines(parts, selection),
      environmentNames(parts),
    ]);
    const hasCounts = visit.query.has("counts") && shown.error === undefined;
    const counts = hasCounts ? { counts: await readCounts(parts, selection) } : {};
    return logsPage(parts, selection, { ...shown, environments, ...counts });
  });

  bind.personal("GET", `${AT}/counts`, async (visit) => {
    const parts = await openProject(visit, services);
    return showFragment(await readCounts(parts, logSelectionIn(visit.query)));
  });

  bind.personal(
    "GET",
    `${AT}/lines.ndjson`,
    async (visit) => downloadLines(await openProject(visit, services), logSelectionIn(visit.query)),
  );

  bind.personal("GET", `${AT}/entry`, async (visit) => {
    const parts = await openProject(visit, services);
    const found = await readEntry(parts, visit.query);
    return logEntryPage(parts, { ...found, errors: await errorsOf(parts, found.entry) });
  });
}
