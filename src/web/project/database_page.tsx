/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * One database: its branches, and a box for queries, which only read unless they are told to
 * change.
 *
 * @module
 */
import { formatBytes } from "../../lib/format.ts";
import { type Database, MAIN_BRANCH } from "../../contract/databases.ts";
import type { DatabaseBranch } from "../../contract/database_branches.ts";
import { Ago, SelectField } from "../layout/board_pieces.tsx";
import { Card, dayText, EndButton, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { DatabaseStateMark } from "./database_state.tsx";
import { canChange, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";
import type { QueryOutcome, ShownResult } from "./read_query.ts";

export interface DatabaseView {
  readonly database: Database;
  readonly branches: readonly DatabaseBranch[];
}

/** A query as it was typed, and what came of it. */
export interface AskedQuery {
  readonly sql: string;
  readonly branch: string;
  readonly mayChange: boolean;
  readonly outcome?: QueryOutcome;
}

const NO_QUERY: AskedQuery = { sql: "", branch: MAIN_BRANCH, mayChange: false };

function BranchRow({ parts, at, branch }: {
  readonly parts: ProjectVisit;
  readonly at: string;
  readonly branch: DatabaseBranch;
}) {
  const { name, state, running, parent, sizeBytes, connections, expiresAt, reason } = branch;
  const { csrf, now } = parts.context;
  return (
    <li>
      <DatabaseStateMark state={state} isAsleep={!running} />
      <div class="main">
        <span class="mono">{name}</span>
        <span class="dots soft">
          {parent === null ? <span>production</span> : (
            <span>
              copied from <span class="mono">{parent}</span>
            </span>
          )}
          <Ago at={branch.createdAt} now={now} />
          {sizeBytes === null ? null : <span>{formatBytes(sizeBytes)}</span>}
          {connections === 0 ? null : <span>{`${connections} connected`}</span>}
          {expiresAt === null ? null : <span>{`removed on ${dayText(expiresAt)}`}</span>}
          {reason === null ? null : <span>{reason}</span>}
        </span>
      </div>
      {parent !== null && canChange(parts)
        ? (
          <div class="acts">
            <EndButton
              action={`${at}/branches/remove`}
              csrf={csrf}
              word="Remove"
              what={`the branch ${name} with its data`}
              hidden={{ branch: name }}
            />
          </div>
        )
        : null}
    </li>
  );
}

function Result({ result }: { readonly result: ShownResult }) {
  const { columns, rows, command } = result;
  return (
    <div class="stack">
      {columns.length === 0
        ? null
        : (
          <div class="scroll" tabindex={0} role="region" aria-label="Rows">
            <table>
              <thead>
                <tr>
                  {columns.map(({ name, type }, index) => (
                    <th key={index} scope="col" title={type}>{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row, index) => (
                  <tr key={index}>
                    {row.map((value, column) => (
                      <td key={column} class="mono">
                        {value === null ? <span class="soft">null</span> : value}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      {command === undefined ? null : <p class="small soft mono">{command}</p>}
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: QueryOutcome | undefined }) {
  return (
    <div id="result" class="stack" aria-live="polite">
      {outcome?.results.map((result, index) => <Result key={index} result={result} />)}
      {outcome?.isCut
        ? <Notice kind="care">Results truncated. Use svc db query to see all rows.</Notice>
        : null}
      {outcome?.notices.map((text) => <Notice key={text} kind="care">{text}</Notice>)}
      {outcome?.error === undefined ? null : <Notice kind="bad">{outcome.error}</Notice>}
    </div>
  );
}

function QueryCard({ parts, at, view, asked }: {
  readonly parts: ProjectVisit;
  readonly at: string;
  readonly view: DatabaseView;
  readonly asked: AskedQuery;
}) {
  const action = `${at}/query`;
  return (
    <Card
      title="Query"
      id="query"
      lead="Queries are read-only unless you allow writes."
    >
      <div class="body">
        <form
          method="post"
          action={action}
          class="wide"
          hx-post={action}
          hx-target="#result"
          hx-select="#result"
          hx-swap="outerHTML"
        >
          <input type="hidden" name="csrf" value={parts.context.csrf} />
          <div class="field">
            <label for="sql">SQL</label>
            <textarea id="sql" name="sql" rows={6} required spellcheck={false} autocomplete="off">
              {asked.sql}
            </textarea>
          </div>
          <div class="line-form">
            <SelectField
              label="Branch"
              name="branch"
              values={view.branches.map(({ name }) => name)}
              chosen={asked.branch}
            />
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
          </div>
        </form>
        <Outcome outcome={asked.outcome} />
      </div>
    </Card>
  );
}

export function databasePage(
  parts: ProjectVisit,
  view: DatabaseView,
  shown: FormPage & { readonly asked?: AskedQuery } = {},
): Response {
  const { database, branches } = view;
  const { state = EMPTY, asked = NO_QUERY } = shown;
  const at = parts.path(`databases/${database.name}`);
  return projectPage(
    parts,
    { ...shown, here: "databases", about: `database ${database.name}` },
    <>
      <Card
        title={database.name}
        id="branches"
        lead={<a href={parts.path("databases")}>All databases</a>}
      >
        <ol class="rows">
          {branches.map((each) => <BranchRow key={each.id} parts={parts} at={at} branch={each} />)}
        </ol>
      </Card>
      {canChange(parts)
        ? (
          <>
            <QueryCard parts={parts} at={at} view={view} asked={asked} />
            <Card
              title="Create a branch"
              id="make"
              lead="A full copy of the data, for experiments or previews."
            >
              <div class="body">
                <Trouble state={state} />
                <Form action={`${at}/branches`} csrf={parts.context.csrf} class="line-form">
                  <Field label="Name" name="name" state={state} autocomplete="off" />
                  <SelectField
                    label="Copy from"
                    name="from"
                    values={branches.map(({ name }) => name)}
                    chosen={state.values.from ?? MAIN_BRANCH}
                  />
                  <button type="submit">Create</button>
                </Form>
              </div>
            </Card>
          </>
        )
        : null}
    </>,
  );
}
