/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module A log entry with everything that is related to it: its request, error, deployment and
 * rules.
 */
import type { ErrorSummary } from "../../contract/errors.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { durationText } from "../layout/board_pieces.tsx";
import { Card, Moment } from "../layout/pieces.tsx";
import { formatBytes } from "../../lib/format.ts";
import { METHODS } from "../../rules/mod.ts";
import { LogLine } from "./log_line.tsx";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

const timeText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : durationText(milliseconds);

/** Returns an entry's details, by name. */
function factsOf(entry: LogEntry): [string, string][] {
  if (entry.type !== "request") {
    return [
      [
        entry.type === "function" ? "Function" : "Server",
        entry.type === "function" ? entry.function : entry.layer,
      ],
      ["Level", entry.level],
      ["Message", entry.message],
      ...(entry.requestId === null ? [] : [["Request ID", entry.requestId] as [string, string]]),
    ];
  }
  const { method, host, path, status, durationMs, bytes, ip, userAgent, requestId, error } = entry;
  return [
    ["Request", `${method} ${host}${path}`],
    ["Status", String(status)],
    ["Time to response headers", timeText(durationMs)],
    ["Size", bytes === null ? "streamed" : formatBytes(bytes)],
    ["Client", ip],
    ["User agent", userAgent ?? "none"],
    ["Request ID", requestId],
    ...(error === undefined ? [] : [["Error", error] as [string, string]]),
  ];
}

/** Request methods that the edge page can explain. */
const EXPLAINED: ReadonlySet<string> = new Set(METHODS);

function Ways({ parts, entry, errors }: {
  readonly parts: ProjectVisit;
  readonly entry: LogEntry;
  readonly errors: readonly ErrorSummary[];
}) {
  const { path } = parts;
  const explain = entry.type === "request" && EXPLAINED.has(entry.method)
    ? new URLSearchParams({ method: entry.method, url: entry.path, ip: entry.ip })
    : undefined;
  return (
    <div class="row">
      {errors.map(({ id, title }) => (
        <a key={id} class="button quiet little" href={path(`errors/${id}`)}>
          Error: {title.slice(0, 60)}
        </a>
      ))}
      <a class="button quiet little" href={`/deployments/${entry.deploymentId}`}>Deployment</a>
      {explain === undefined
        ? null
        : <a class="button quiet little" href={`${path("edge")}?${explain}`}>Explain the rules</a>}
      {entry.requestId === null ? null : (
        <a
          class="button quiet little"
          href={`${path("logs")}?${new URLSearchParams({ request: entry.requestId })}`}
        >
          Show all lines of the request
        </a>
      )}
    </div>
  );
}

export function logEntryPage(
  parts: ProjectVisit,
  { entry, lines, errors }: {
    readonly entry: LogEntry;
    /** Entries of the same request, oldest first. */
    readonly lines: readonly LogEntry[];
    readonly errors: readonly ErrorSummary[];
  },
): Response {
  const { path } = parts;
  const rules = entry.type === "request" ? entry.rules ?? [] : [];
  return projectPage(
    parts,
    { here: "logs", about: "log entry" },
    <Card title="Log entry" id="entry" lead={<Moment at={entry.time} />}>
      <div class="body">
        <Ways parts={parts} entry={entry} errors={errors} />
        <dl class="facts">
          {factsOf(entry).map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          {rules.map(({ ruleId, action, outcome }) => (
            <div key={ruleId}>
              <dt>Rule</dt>
              <dd>{`${ruleId}: ${action}, ${outcome}`}</dd>
            </div>
          ))}
        </dl>
        {lines.length < 2
          ? null
          : (
            <ol class="log wide" tabindex={0} aria-label="Lines from this request">
              {lines.map((line, index) => (
                <LogLine key={index} entry={line} path={path("logs/entry")} />
              ))}
            </ol>
          )}
      </div>
    </Card>,
  );
}
