/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A database's page: how to connect, branches, snapshots, import and export. */
import type { Child } from "hono/jsx";
import { formatBytes } from "../../lib/format.ts";
import type { Database, DatabaseUsage } from "../../contract/databases.ts";
import type { DatabaseBranch, DatabaseSnapshot } from "../../contract/database_branches.ts";
import { renewed } from "../layout/board_pieces.tsx";
import { Card, EndButton, Form, Moment, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { CHART_SCRIPT_PATH } from "../layout/chart_script.ts";
import { canChange } from "../project/open_project.ts";
import { BranchesCard } from "./branches_card.tsx";
import { ConnectCard, type ConnectView } from "./connect_card.tsx";
import { DatabaseStateMark, historyText } from "./database_state.tsx";
import { FilesCard } from "./files_card.tsx";
import type { DatabaseVisit } from "./open_database.ts";
import type { ImportOutcome } from "./read_import.ts";
import { studioPage } from "./studio_page.tsx";
import { UsageCard } from "./usage_card.tsx";

function Facts({ database, branches }: {
  readonly database: Database;
  readonly branches: readonly DatabaseBranch[];
}) {
  const { state, version, engine, cuSize, memoryMb } = database;
  const { maxConnections, sizeBytes, envVar, autoInject } = database;
  const connections = branches.reduce((sum, branch) => sum + branch.connections, 0);
  const facts: [string, Child][] = [
    ["Engine", `${version === null ? "PostgreSQL" : `PostgreSQL ${version}`}, ${engine}`],
    ["Size now", sizeBytes === null ? "unknown" : formatBytes(sizeBytes)],
    ["Connections now", `${connections} of ${maxConnections} per branch`],
    [
      "Compute",
      <span key="compute">
        {`${cuSize} compute units, ${memoryMb} MB of memory. `}
        <a href="/docs/databases#sizes-and-limits">Sizes and limits</a>
      </span>,
    ],
    ["Variable", autoInject ? envVar : "not set for deployments"],
  ];
  if (database.history !== null) facts.push(["Restorable", historyText(database.history)]);
  return (
    <dl class="facts two">
      <div>
        <dt>State</dt>
        <dd>
          <DatabaseStateMark state={state} />
        </dd>
      </div>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function SnapshotRow({ visit, snapshot }: {
  readonly visit: DatabaseVisit;
  readonly snapshot: DatabaseSnapshot;
}) {
  const { id, branch, sizeBytes, kind, createdAt } = snapshot;
  const { path, parts } = visit;
  const { csrf } = parts.context;
  return (
    <li>
      <span class="mono">{branch}</span>
      <div class="main">
        <Moment at={createdAt} />
        <span class="dots soft">
          <span>{kind}</span>
          <span>{formatBytes(sizeBytes)}</span>
        </span>
      </div>
      {canChange(parts)
        ? (
          <div class="acts">
            <Form
              action={path("snapshots/restore")}
              csrf={csrf}
              asks
              class="row"
              hidden={{ snapshot: id }}
            >
              <label class="hush" for={`restore-${id}`}>
                {`Branch to restore the snapshot of ${branch} to`}
              </label>
              <input
                id={`restore-${id}`}
                class="short"
                name="branch"
                required
                autocomplete="off"
                placeholder="branch"
              />
              <button type="submit" class="quiet little">Restore</button>
            </Form>
            <EndButton
              action={path("snapshots/remove")}
              csrf={csrf}
              word="Delete"
              what={`the snapshot of ${branch}`}
              hidden={{ snapshot: id }}
            />
          </div>
        )
        : null}
    </li>
  );
}

/** Maximum number of snapshots on the page. `svc db snapshots list` shows all of them. */
const SHOWN_SNAPSHOTS = 20;

function SnapshotsCard({ visit, snapshots, state }: {
  readonly visit: DatabaseVisit;
  readonly snapshots: readonly DatabaseSnapshot[];
  readonly state: FormState;
}) {
  const { path, parts, branches, database } = visit;
  return (
    <Card
      title="Snapshots"
      id="snapshots"
      lead="Restore a snapshot to a new branch, or enter an existing branch to replace its data."
    >
      <ol class="rows">
        {snapshots.slice(0, SHOWN_SNAPSHOTS).map((each) => (
          <SnapshotRow key={each.id} visit={visit} snapshot={each} />
        ))}
      </ol>
      <div class="body">
        {snapshots.length === 0 ? <p class="soft">No snapshots yet.</p> : null}
        {snapshots.length > SHOWN_SNAPSHOTS
          ? (
            <p class="small soft">
              {`${snapshots.length - SHOWN_SNAPSHOTS} older ones: `}
              <code>{`svc db snapshots list --database ${database.name}`}</code>
            </p>
          )
          : null}
        <Trouble state={state} />
        {canChange(parts)
          ? (
            <Form action={path("snapshots")} csrf={parts.context.csrf} class="line-form">
              <div class="field">
                <label for="snapshot-branch">Branch to save</label>
                <select id="snapshot-branch" name="branch" autocomplete="off">
                  {branches.map(({ name }) => <option key={name} value={name}>{name}</option>)}
                </select>
              </div>
              <button type="submit">Create a snapshot</button>
            </Form>
          )
          : null}
      </div>
    </Card>
  );
}

function DeleteCard({ visit }: { readonly visit: DatabaseVisit }) {
  const { path, parts, database } = visit;
  return (
    <Card
      title="Delete the database"
      id="delete"
      lead="Deletes all branches. You can restore the database for seven days with svc db undelete."
    >
      <div class="body">
        <EndButton
          action={path("delete")}
          csrf={parts.context.csrf}
          word="Delete"
          what={`the database ${database.name}`}
        />
      </div>
    </Card>
  );
}

/** Renders the overview of a database. */
export function databasePage(
  visit: DatabaseVisit,
  shown: FormPage & {
    readonly snapshots: readonly DatabaseSnapshot[];
    readonly usage: DatabaseUsage;
    /** How to connect; `undefined` if the person is not allowed to connect. */
    readonly connect: ConnectView | undefined;
    readonly imported?: ImportOutcome;
    /** The rejected form, if any. */
    readonly of?: "branches" | "snapshots";
  },
): Response {
  const { database, branches, parts } = visit;
  const { state = EMPTY, of, snapshots, usage, connect, imported } = shown;
  const isMoving = branches.some((branch) => branch.state === "creating");
  const stateOf = (name: typeof of) => of === name ? state : EMPTY;
  return studioPage(
    visit,
    { ...shown, here: "", scripts: usage.steps.length === 0 ? [] : [CHART_SCRIPT_PATH] },
    <>
      <div id="now" {...renewed(isMoving, { id: "now", path: visit.path() })}>
        <Card title="Now" id="facts">
          <div class="body">
            <Facts database={database} branches={branches} />
          </div>
        </Card>
      </div>
      <UsageCard usage={usage} />
      {connect === undefined ? null : <ConnectCard visit={visit} view={connect} />}
      <BranchesCard visit={visit} state={stateOf("branches")} />
      <SnapshotsCard visit={visit} snapshots={snapshots} state={stateOf("snapshots")} />
      <FilesCard visit={visit} imported={imported} />
      {canChange(parts) ? <DeleteCard visit={visit} /> : null}
    </>,
  );
}
