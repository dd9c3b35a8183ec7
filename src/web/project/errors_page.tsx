/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's errors, and the details of each error. */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import { cursorOf, openProject, type ProjectVisit } from "./open_project.ts";
import type { ErrorDetails, ErrorOccurrence, ErrorSummary } from "../../contract/errors.ts";
import { Ago, Empty, Name, Pager } from "../layout/board_pieces.tsx";
import { Card, Moment } from "../layout/pieces.tsx";
import { LogLine } from "./log_line.tsx";
import { projectPage } from "./project_page.tsx";

/** Describes where an error came from. */
function sourceOf({ kind, source }: ErrorSummary): string {
  if (kind === "response") return "Response with no exception logged";
  if (kind === "function") return `Function ${source ?? ""}`;
  return source === null || source === "server" ? "Server" : `Server ${source}`;
}

const times = (count: number): string =>
  count === 1 ? "once" : `${count.toLocaleString("en-US")} times`;

function Row({ error, path, now }: {
  readonly error: ErrorSummary;
  readonly path: string;
  readonly now: number;
}) {
  return (
    <li>
      <div class="main">
        <a class="mono clip" href={path}>{error.title}</a>
        <span class="soft">
          {`${sourceOf(error)} · ${times(error.count)} · last seen `}
          <Ago at={error.lastSeen} now={now} />
          {" · first seen "}
          <Ago at={error.firstSeen} now={now} />
        </span>
      </div>
    </li>
  );
}

function errorsPage(
  parts: ProjectVisit,
  { items, nextCursor, cursor }: {
    readonly items: readonly ErrorSummary[];
    readonly nextCursor: string | null;
    readonly cursor: string | null;
  },
): Response {
  const { path, project, context } = parts;
  return projectPage(
    parts,
    { here: "errors", about: "errors" },
    <Card
      title="Exceptions and failed requests"
      id="errors"
      lead="Grouped by kind, most recent first. Kept for 90 days."
    >
      <div class="body">
        {items.length === 0
          ? (
            <Empty
              title="No errors yet"
              command={`svc errors list --project-id ${project.name}`}
            >
              See this in a terminal:
            </Empty>
          )
          : (
            <ol class="rows plain inset">
              {items.map((error) => (
                <Row
                  key={error.id}
                  error={error}
                  path={path(`errors/${error.id}`)}
                  now={context.now}
                />
              ))}
            </ol>
          )}
        <Pager path={path("errors")} cursor={cursor} nextCursor={nextCursor} />
      </div>
    </Card>,
  );
}

function Facts({ error, now }: { readonly error: ErrorDetails; readonly now: number }) {
  return (
    <dl class="facts">
      <div>
        <dt>Source</dt>
        <dd>{sourceOf(error)}</dd>
      </div>
      <div>
        <dt>Occurrences</dt>
        <dd>{times(error.count)}</dd>
      </div>
      <div>
        <dt>First seen</dt>
        <dd>
          <Ago at={error.firstSeen} now={now} />
          {" in "}
          <a href={`/deployments/${error.broughtBy}`}>this deployment</a>
        </dd>
      </div>
      <div>
        <dt>Last seen</dt>
        <dd>
          <Ago at={error.lastSeen} now={now} />
        </dd>
      </div>
    </dl>
  );
}

function Occurrence({ seen, logs }: { readonly seen: ErrorOccurrence; readonly logs: string }) {
  const request = seen.method === null ? null : `${seen.status ?? ""} ${seen.method} ${seen.path}`;
  return (
    <li>
      <div class="main">
        <span class="mono">
          <Name text={request ?? seen.message} />
        </span>
        <span class="soft">
          <Moment at={seen.time} />
          {" · "}
          <a href={`/deployments/${seen.deploymentId}`}>deployment</a>
          {seen.requestId === null ? null : (
            <>
              {" · "}
              <a href={`${logs}?${new URLSearchParams({ request: seen.requestId })}`}>
                request log
              </a>
            </>
          )}
        </span>
      </div>
    </li>
  );
}

function errorPage(parts: ProjectVisit, error: ErrorDetails): Response {
  const { path, context } = parts;
  const { stack, occurrences, lines } = error;
  return projectPage(
    parts,
    { here: "errors", about: "errors" },
    <>
      <Card title={error.title} id="error">
        <div class="body">
          <Facts error={error} now={context.now} />
          {stack === null
            ? null
            : <pre class="terminal" tabindex={0} aria-label="Stack">{stack}</pre>}
        </div>
      </Card>
      <Card title="Recent occurrences" id="occurrences">
        <div class="body">
          <ol class="rows plain inset">
            {occurrences.map((seen, index) => (
              <Occurrence key={index} seen={seen} logs={path("logs")} />
            ))}
          </ol>
        </div>
      </Card>
      {lines.length === 0 ? null : (
        <Card title="Log of the last request" id="lines">
          <div class="body">
            <ol class="log wide" tabindex={0} aria-label="Log lines">
              {lines.map((entry, index) => (
                <LogLine key={index} entry={entry} path={path("logs/entry")} />
              ))}
            </ol>
          </div>
        </Card>
      )}
    </>,
  );
}

/** Number of errors per page. */
const SIZE = 50;

export function bindErrors(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/errors", async (visit) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items, nextCursor } = await parts.api.call(endpoints.listErrors, {
      params: { project: parts.project.name },
      query: { limit: SIZE, cursor: cursor ?? undefined },
    });
    return errorsPage(parts, { items, nextCursor, cursor });
  });

  bind.personal("GET", "/workspaces/:slug/projects/:project/errors/:error", async (visit) => {
    const parts = await openProject(visit, services);
    const params = endpoints.getError.params.safeParse({
      project: parts.project.name,
      error: visit.params.error,
    });
    if (!params.success) {
      throw new Failure("not_found", `Error ${visit.params.error} does not exist`);
    }
    return errorPage(parts, await parts.api.call(endpoints.getError, { params: params.data }));
  });
}
