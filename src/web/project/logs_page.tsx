/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The log of a project: requests, and what its functions and servers wrote.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { LOG_LEVELS, type LogEntry } from "../../contract/logs.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { cursorOf, openProject, type ProjectVisit } from "./open_project.ts";
import type { MissingNode } from "../../contract/common.ts";
import { Card, Notice } from "../layout/pieces.tsx";
import { Empty, Pager } from "../layout/board_pieces.tsx";
import { LogLine } from "./log_line.tsx";
import { projectPage } from "./project_page.tsx";

/** The shown part of the log, from the URL. */
interface LogWish {
  readonly search: string;
  readonly level: string;
  readonly cursor: string | null;
}

function Filters({ path, search, level }: LogWish & { readonly path: string }) {
  return (
    <form
      method="get"
      action={path}
      class="line-form"
      hx-get={path}
      hx-target="#log"
      hx-select="#log"
      hx-swap="outerHTML"
      hx-trigger="input changed delay:300ms from:#search, change from:#level, submit"
      hx-push-url="true"
    >
      <div class="field">
        <label for="search">Search</label>
        <input
          id="search"
          name="search"
          type="search"
          maxlength={200}
          value={search}
          autocomplete="off"
        />
      </div>
      <div class="field small-field">
        <label for="level">Level</label>
        <select id="level" name="level" autocomplete="off">
          <option value="">All</option>
          {LOG_LEVELS.map((name) => (
            <option key={name} value={name} selected={name === level}>{`${name} and above`}</option>
          ))}
        </select>
      </div>
      <button class="quiet" type="submit">Search</button>
    </form>
  );
}

function logsPage(
  parts: ProjectVisit,
  shown: LogWish & {
    readonly items: readonly LogEntry[];
    readonly nextCursor: string | null;
    readonly missingNodes: readonly MissingNode[];
  },
): Response {
  const { path, project, context } = parts;
  const { items, nextCursor, missingNodes, search, level, cursor } = shown;
  const query = {
    ...(search === "" ? {} : { search }),
    ...(level === "" ? {} : { level }),
  };
  const live = new URLSearchParams({ workspace: context.workspace.slug, ...query });
  // The newest page alone goes on by itself.
  const stream = cursor === null
    ? {
      "data-stream": `/v1/projects/${project.name}/logs/stream?${live}`,
      "data-kind": "log",
    }
    : {};
  return projectPage(
    parts,
    { here: "logs", about: "logs" },
    <Card
      title="Requests, functions and servers"
      id="logs"
      lead="Oldest first · UTC · live"
    >
      <div class="body">
        <Filters path={path("logs")} {...shown} />
        {missingNodes.map(({ node, reason }) => (
          <Notice key={node} kind="care">Missing logs from node {node}: it {reason}</Notice>
        ))}
        <div id="log" class="stack">
          {items.length === 0 && cursor === null
            ? (
              <Empty
                title={search === "" && level === "" ? "No logs yet" : "No matching lines"}
                command={`svc logs --follow --project-id ${project.name}`}
              >
                Follow the same log in a terminal:
              </Empty>
            )
            : null}
          <ol class="log wide" tabindex={0} aria-label="Log lines" {...stream}>
            {items.map((entry, index) => <LogLine key={index} entry={entry} />)}
          </ol>
          <Pager path={path("logs")} cursor={cursor} nextCursor={nextCursor} query={query} />
        </div>
      </div>
    </Card>,
  );
}

/** Lines on one page. */
const SIZE = 100;
/** Longest text that is searched for, as the API takes it. */
const MAX_SEARCH = 200;

export function bindLogs(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/logs", async (visit) => {
    const parts = await openProject(visit, services);
    const search = (visit.query.get("search") ?? "").slice(0, MAX_SEARCH);
    const level = LOG_LEVELS.find((name) => name === visit.query.get("level"));
    const cursor = cursorOf(parts);
    const { items, nextCursor, missingNodes = [] } = await parts.api.call(endpoints.listLogs, {
      params: { project: parts.project.name },
      query: {
        limit: SIZE,
        ...(search === "" ? {} : { search }),
        ...(level === undefined ? {} : { level }),
        ...(cursor === null ? {} : { cursor }),
      },
    });
    return logsPage(parts, {
      items,
      nextCursor,
      missingNodes,
      search,
      level: level ?? "",
      cursor,
    });
  });
}
