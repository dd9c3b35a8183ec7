/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A database's branches, and the form for a new one. */
import { formatBytes } from "../../lib/format.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import type { DatabaseBranch } from "../../contract/database_branches.ts";
import { Ago, SelectField } from "../layout/board_pieces.tsx";
import { Card, dayText, EndButton, Field, Form, Trouble } from "../layout/pieces.tsx";
import type { FormState } from "../layout/form.ts";
import { canChange } from "../project/open_project.ts";
import { DatabaseStateMark } from "./database_state.tsx";
import type { DatabaseVisit } from "./open_database.ts";

function BranchRow({ visit, branch }: {
  readonly visit: DatabaseVisit;
  readonly branch: DatabaseBranch;
}) {
  const { name, state, running, parent, sizeBytes, connections, expiresAt, reason } = branch;
  const { path, parts } = visit;
  const { csrf, now } = parts.context;
  return (
    <li>
      <DatabaseStateMark state={state} isAsleep={!running} />
      <div class="main">
        <a class="mono" href={`${path("tables")}?${new URLSearchParams({ branch: name })}`}>
          {name}
        </a>
        <span class="dots soft">
          {parent === null ? <span>production</span> : (
            <span>
              copied from <span class="mono">{parent}</span>
            </span>
          )}
          <Ago at={branch.resetAt ?? branch.createdAt} now={now} />
          {sizeBytes === null ? null : <span>{formatBytes(sizeBytes)}</span>}
          {connections === 0 ? null : <span>{`${connections} connected`}</span>}
          {expiresAt === null ? null : <span>{`removed on ${dayText(expiresAt)}`}</span>}
          {reason === null ? null : <span>{reason}</span>}
        </span>
      </div>
      {parent === null ? null : (
        <div class="acts">
          <a
            class="button quiet little"
            href={`${path("diff")}?${new URLSearchParams({ branch: name })}`}
          >
            Schema diff<span class="hush">{` of ${name}`}</span>
          </a>
          {canChange(parts)
            ? (
              <>
                <EndButton
                  action={path("branches/reset")}
                  csrf={csrf}
                  word="Reset"
                  what={`the branch ${name} to ${parent}`}
                  hidden={{ branch: name }}
                />
                <EndButton
                  action={path("branches/remove")}
                  csrf={csrf}
                  word="Delete"
                  what={`the branch ${name} with its data`}
                  hidden={{ branch: name }}
                />
              </>
            )
            : null}
        </div>
      )}
    </li>
  );
}

function BranchForm({ visit, state }: {
  readonly visit: DatabaseVisit;
  readonly state: FormState;
}) {
  const { path, parts, branches, database } = visit;
  return (
    <Form action={path("branches")} csrf={parts.context.csrf} class="line-form">
      <Field label="New branch" name="name" state={state} autocomplete="off" />
      <SelectField
        label="Copy from"
        name="from"
        values={branches.map(({ name }) => name)}
        chosen={state.values.from ?? MAIN_BRANCH}
      />
      {database.history?.since
        ? (
          <Field
            label="As of (UTC)"
            name="at"
            type="datetime-local"
            state={state}
            autocomplete="off"
            step={1}
            hint="Leave empty for the current state."
            optional
          />
        )
        : null}
      <button type="submit">Create</button>
    </Form>
  );
}

export function BranchesCard({ visit, state }: {
  readonly visit: DatabaseVisit;
  readonly state: FormState;
}) {
  const { branches, parts } = visit;
  return (
    <Card
      title="Branches"
      id="branches"
      lead="Full copies of the data, for experiments or previews."
    >
      <ol class="rows">
        {branches.map((each) => <BranchRow key={each.id} visit={visit} branch={each} />)}
      </ol>
      {canChange(parts)
        ? (
          <div class="body">
            <Trouble state={state} />
            <BranchForm visit={visit} state={state} />
          </div>
        )
        : null}
    </Card>
  );
}
