/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Runs SQL on a branch: read-only unless writing is allowed. */
import { Card, Notice } from "../layout/pieces.tsx";
import { canChange } from "../project/open_project.ts";
import type { DatabaseVisit } from "./open_database.ts";
import type { QueryOutcome, ShownResult } from "./read_query.ts";
import { studioPage } from "./studio_page.tsx";
import { STUDIO_SCRIPT_PATH } from "./studio_script.ts";
import { Value } from "./value.tsx";

/** The query as entered, and its result. */
interface AskedQuery {
  readonly sql: string;
  readonly mayChange: boolean;
  readonly outcome?: QueryOutcome;
  /** How long the query took, in milliseconds. */
  readonly durationMs?: number;
}

function ResultRows({ result }: { readonly result: ShownResult }) {
  const { columns, rows } = result;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Rows">
      <table class="grid">
        <thead>
          <tr>
            {columns.map(({ name, type }, index) => (
              <th key={index} scope="col">
                {name}
                <span class="type">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((value, column) => (
                <td key={column} class="mono">
                  <Value value={value} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Downloads({ visit, sql, index }: {
  readonly visit: DatabaseVisit;
  readonly sql: string;
  readonly index: number;
}) {
  return (
    <form method="post" action={visit.path("sql/rows")} class="row" data-file="">
      <input type="hidden" name="csrf" value={visit.parts.context.csrf} />
      <input type="hidden" name="branch" value={visit.place.branch} />
      <input type="hidden" name="sql" value={sql} />
      <input type="hidden" name="result" value={String(index)} />
      <button type="submit" name="format" value="csv" class="quiet little">CSV</button>
      <button type="submit" name="format" value="json" class="quiet little">JSON</button>
    </form>
  );
}

function Outcome({ visit, asked }: {
  readonly visit: DatabaseVisit;
  readonly asked: AskedQuery;
}) {
  const { outcome, durationMs, sql, mayChange } = asked;
  let at = -1;
  return (
    <div id="result" class="stack" aria-live="polite">
      {outcome?.results.map((result, index) => {
        const hasRows = result.columns.length > 0;
        if (hasRows) at++;
        return (
          <div key={index} class="stack-little">
            {hasRows ? <ResultRows result={result} /> : null}
            <div class="row">
              {result.command === undefined
                ? null
                : <span class="small soft mono">{result.command}</span>}
              {hasRows && !mayChange ? <Downloads visit={visit} sql={sql} index={at} /> : null}
            </div>
          </div>
        );
      })}
      {outcome?.isCut
        ? (
          <Notice kind="care">
            Results truncated. Download them as a file, or use svc db query, to see all rows.
          </Notice>
        )
        : null}
      {outcome?.notices.map((text) => <Notice key={text} kind="care">{text}</Notice>)}
      {outcome?.error === undefined ? null : (
        <Notice kind="bad">
          {outcome.error}
          {outcome.error.endsWith("(25006)") ? `. To change data, select "Allow writes".` : ""}
        </Notice>
      )}
      {durationMs === undefined
        ? null
        : <p class="small soft">{`Took ${durationMs.toLocaleString("en")} ms`}</p>}
    </div>
  );
}

/** Renders the SQL page. */
export function sqlPage(visit: DatabaseVisit, asked: AskedQuery): Response {
  const { parts, database, place, path } = visit;
  const action = path("sql");
  if (!canChange(parts)) {
    return studioPage(
      visit,
      { here: "sql" },
      <Notice kind="care">
        Your role can't run SQL. Ask an owner to make you a developer.
      </Notice>,
    );
  }
  return studioPage(
    visit,
    { here: "sql", scripts: [STUDIO_SCRIPT_PATH] },
    <Card title="Query" id="query" lead="Queries are read-only unless you allow writes.">
      <div class="body">
        <form
          method="post"
          action={action}
          class="wide"
          data-sql={`${parts.context.workspace.slug}/${database.id}`}
          hx-post={action}
          hx-target="#result"
          hx-select="#result"
          hx-swap="outerHTML"
        >
          <input type="hidden" name="csrf" value={parts.context.csrf} />
          <input type="hidden" name="branch" value={place.branch} />
          <div class="field">
            <label for="sql">SQL</label>
            <textarea
              id="sql"
              name="sql"
              rows={8}
              required
              spellcheck={false}
              autocomplete="off"
              aria-describedby="sql-hint"
            >
              {asked.sql}
            </textarea>
            <p class="hint" id="sql-hint">
              Separate statements with semicolons. <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs them.
            </p>
          </div>
          <div class="line-form">
            <p class="check">
              <input
                id="mayChange"
                name="mayChange"
                type="checkbox"
                checked={asked.mayChange}
                autocomplete="off"
              />
              <label for="mayChange">Allow writes</label>
            </p>
            <button type="submit">Run</button>
            <button type="button" class="quiet" hidden data-cancel="">Cancel</button>
            <span class="small soft" role="status" data-progress=""></span>
          </div>
        </form>
        <details class="more" hidden data-history="">
          <summary>History</summary>
          <p class="small soft">Stored only in this browser.</p>
          <ol class="history"></ol>
          <button type="button" class="quiet little" data-forget="">Clear the history</button>
        </details>
        <Outcome visit={visit} asked={asked} />
      </div>
    </Card>,
  );
}
