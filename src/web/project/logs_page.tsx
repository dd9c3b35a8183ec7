/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's log: requests, and the output of its functions and servers. */
import type { Child } from "hono/jsx";
import type { MissingNode } from "../../contract/common.ts";
import { LOG_LEVELS, type LogEntry } from "../../contract/logs.ts";
import { Empty, Pager } from "../layout/board_pieces.tsx";
import { Card, Notice } from "../layout/pieces.tsx";
import { CountsPlace } from "./log_counts.tsx";
import { LogLine } from "./log_line.tsx";
import {
  entryFilterOf,
  LOG_FILTER_NAMES,
  LOG_FILTERS,
  LOG_RANGES,
  type LogFilterName,
  logQuery,
  type LogSelection,
} from "./log_selection.ts";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

/** Filters that are always visible. All other filters are collapsed. */
const SHOWN_FILTERS: ReadonlySet<LogFilterName> = new Set(["search", "level"]);

const HINTS: Readonly<Partial<Record<LogFilterName, string>>> = {
  status: "404 or 5xx",
  path: "/menu or /api/*",
  slower: "500",
};

function FilterField({ name, selection, environments }: {
  readonly name: LogFilterName;
  readonly selection: LogSelection;
  readonly environments: readonly string[];
}) {
  const value = selection.filters[name] ?? "";
  const { word } = LOG_FILTERS[name];
  if (name === "environment") {
    return (
      <div class="field small-field">
        <label for={name}>{word}</label>
        <select id={name} name={name} autocomplete="off">
          <option value="">All</option>
          {environments.map((each) => (
            <option key={each} value={each} selected={each === value}>{each}</option>
          ))}
        </select>
      </div>
    );
  }
  return (
    <div class="field small-field">
      <label for={name}>{word}</label>
      <input
        id={name}
        name={name}
        value={value}
        placeholder={HINTS[name]}
        autocomplete="off"
        spellcheck={false}
      />
    </div>
  );
}

function Filters({ path, selection, environments }: {
  readonly path: string;
  readonly selection: LogSelection;
  readonly environments: readonly string[];
}) {
  const { filters, range, since, until } = selection;
  const further = LOG_FILTER_NAMES.filter((name) => !SHOWN_FILTERS.has(name));
  const used = further.filter((name) => filters[name] !== undefined);
  return (
    <form
      method="get"
      action={path}
      class="wide"
      hx-get={path}
      hx-target="#log"
      hx-select="#log"
      hx-swap="outerHTML"
      hx-trigger="input changed delay:300ms from:#search, change from:#level, submit"
      hx-push-url="true"
    >
      {Object.entries({ range, since, until }).map(([name, value]) =>
        value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />
      )}
      <div class="line-form">
        <div class="field">
          <label for="search">Search</label>
          <input
            id="search"
            name="search"
            type="search"
            maxlength={200}
            value={filters.search}
            autocomplete="off"
          />
        </div>
        <div class="field small-field">
          <label for="level">Level</label>
          <select id="level" name="level" autocomplete="off">
            <option value="">All</option>
            {LOG_LEVELS.map((name) => (
              <option key={name} value={name} selected={name === filters.level}>
                {`${name} and above`}
              </option>
            ))}
          </select>
        </div>
        <button class="quiet" type="submit">Search</button>
      </div>
      <details class="more" open={used.length > 0}>
        <summary>{used.length === 0 ? "More filters" : `More filters (${used.length})`}</summary>
        <div class="line-form">
          {further.map((name) => (
            <FilterField key={name} name={name} selection={selection} environments={environments} />
          ))}
        </div>
      </details>
    </form>
  );
}

function Ranges({ path, selection }: { readonly path: string; readonly selection: LogSelection }) {
  const { range, since, until } = selection;
  const isAny = range === undefined && since === undefined && until === undefined;
  const linkTo = (name: string | undefined) => {
    const query = new URLSearchParams(
      logQuery(selection, { range: name, since: undefined, until: undefined }),
    );
    return query.size === 0 ? path : `${path}?${query}`;
  };
  return (
    <div class="row">
      <nav class="ranges" aria-label="Time">
        {Object.entries(LOG_RANGES).map(([name, { word }]) => (
          <a key={name} href={linkTo(name)} aria-current={name === range ? "true" : undefined}>
            {word}
          </a>
        ))}
        <a href={linkTo(undefined)} aria-current={isAny ? "true" : undefined}>Any time</a>
      </nav>
      {since === undefined && until === undefined ? null : (
        <span class="small soft">
          {`${since?.slice(0, 16).replace("T", " ") ?? "the start"} to ${
            until?.slice(0, 16).replace("T", " ") ?? "now"
          } UTC`}
        </span>
      )}
    </div>
  );
}

/** Shows the part of the page that changes with each search: counts, lines and paging. */
function LogPart({ parts, selection, shown, counts }: {
  readonly parts: ProjectVisit;
  readonly selection: LogSelection;
  readonly shown: LogsShown;
  readonly counts: Child | undefined;
}) {
  const { path, project, context } = parts;
  const { items, nextCursor, missingNodes, error } = shown;
  const { cursor, until } = selection;
  const query = logQuery(selection);
  const search = `?${new URLSearchParams(query)}`;
  const isUnfiltered = Object.keys(query).length === 0;
  // Only the page with the newest lines is updated live.
  const isLive = cursor === null && until === undefined && error === undefined;
  const live = new URLSearchParams({
    workspace: context.workspace.slug,
    ...entryFilterOf(selection.filters) as Record<string, string>,
  });
  return (
    <div id="log" class="stack">
      {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
      {counts ?? (
        <CountsPlace
          path={`${path("logs/counts")}${search}`}
          page={`${path("logs")}?${new URLSearchParams({ ...query, counts: "1" })}`}
        />
      )}
      {missingNodes.map(({ node, reason }) => (
        <Notice key={node} kind="care">Logs are missing from node {node}: it {reason}</Notice>
      ))}
      <div class="row">
        {isLive
          ? <button type="button" class="quiet little" hidden data-pause="lines">Pause</button>
          : null}
        <button type="button" class="quiet little" data-copy="lines">Copy</button>
        <a class="button quiet little" href={`${path("logs/lines.ndjson")}${search}`}>
          Download
        </a>
      </div>
      {items.length === 0 && cursor === null && error === undefined
        ? (
          <Empty
            title={isUnfiltered ? "No logs yet" : "No matching lines"}
            command={`svc logs --follow --project-id ${project.name}`}
          >
            Follow the same log in a terminal:
          </Empty>
        )
        : null}
      <ol
        class="log wide"
        id="lines"
        tabindex={0}
        aria-label="Log lines"
        data-entry={path("logs/entry")}
        {...isLive
          ? {
            "data-stream": `/v1/projects/${project.name}/logs/stream?${live}`,
            "data-kind": "log",
          }
          : {}}
      >
        {items.map((entry, index) => (
          <LogLine
            key={index}
            entry={entry}
            path={path("logs/entry")}
          />
        ))}
      </ol>
      <Pager path={path("logs")} cursor={cursor} nextCursor={nextCursor} query={query} />
    </div>
  );
}

export interface LogsShown {
  readonly items: readonly LogEntry[];
  readonly nextCursor: string | null;
  readonly missingNodes: readonly MissingNode[];
  readonly environments: readonly string[];
  /** Explains why there are no lines. */
  readonly error?: string;
}

export function logsPage(
  parts: ProjectVisit,
  selection: LogSelection,
  shown: LogsShown & { readonly counts?: Child },
): Response {
  const { path } = parts;
  return projectPage(
    parts,
    { here: "logs", about: "logs" },
    <>
      <Card
        title="Requests, functions and servers"
        id="logs"
        lead="Oldest first · UTC · live"
      >
        <div class="body">
          <Ranges path={path("logs")} selection={selection} />
          <Filters path={path("logs")} selection={selection} environments={shown.environments} />
          <LogPart parts={parts} selection={selection} shown={shown} counts={shown.counts} />
        </div>
      </Card>
      <dialog id="drawer" class="drawer" aria-label="Log entry">
        <form method="dialog">
          <button type="submit" class="quiet little">Close</button>
        </form>
        <div data-place=""></div>
      </dialog>
    </>,
  );
}
