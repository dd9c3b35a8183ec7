/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the schema differences between two branches of a database. */
import type { ResponseOf } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { SchemaChange } from "../../contract/database_branches.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { formatCount } from "../../lib/format.ts";
import { Empty, SelectField } from "../layout/board_pieces.tsx";
import { Card, Notice } from "../layout/pieces.tsx";
import { Diff } from "../project/text_diff.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { DATABASE_AT, type DatabaseVisit, openDatabase, requireBranch } from "./open_database.ts";
import { studioPage } from "./studio_page.tsx";

type SchemaDiff = ResponseOf<typeof endpoints.diffDatabaseBranch>;

const KINDS = { added: "good", removed: "bad", changed: "care" } as const;

function Definition({ change: { kind, name, from, to } }: { readonly change: SchemaChange }) {
  const label = `Definition of ${kind} ${name}`;
  if (from !== null && to !== null) return <Diff from={from} to={to} label={label} />;
  const text = from ?? to ?? "";
  if (text === "") return null;
  const [sign, look] = from === null ? ["+", "added"] : ["-", "removed"];
  return (
    <pre class="diff" tabindex={0} role="region" aria-label={label}>
      {text.trimEnd().split("\n").map((line, at) => (
        <span key={at} class={look}>{`${sign} ${line}\n`}</span>
      ))}
    </pre>
  );
}

function Change({ change }: { readonly change: SchemaChange }) {
  const { kind, name } = change;
  return (
    <li>
      <span>
        <span class={`tag ${KINDS[change.change]}`}>{change.change}</span>
      </span>
      <div class="main">
        <span>
          <span class="soft">{kind}</span> <span class="mono">{name}</span>
        </span>
        <Definition change={change} />
      </div>
    </li>
  );
}

function BranchesForm({ visit, against }: {
  readonly visit: DatabaseVisit;
  readonly against: string;
}) {
  const { branches, place, path } = visit;
  const values = branches.map(({ name }) => name);
  return (
    <form method="get" action={path("diff")} class="line-form">
      <SelectField label="Branch" name="branch" values={values} chosen={place.branch} />
      <SelectField label="Compare with" name="against" values={values} chosen={against} />
      <button type="submit">Compare</button>
    </form>
  );
}

function diffPage(
  visit: DatabaseVisit,
  { diff, against }: { readonly diff: SchemaDiff | undefined; readonly against: string },
): Response {
  const { database, place: { branch } } = visit;
  const count = diff?.changes.length ?? 0;
  return studioPage(
    visit,
    { here: "diff" },
    <Card
      title="Schema diff"
      id="diff"
      lead="Tables, columns, indexes, constraints, functions, views, sequences, triggers and types."
    >
      <div class="body">
        {diff === undefined
          ? (
            <Empty
              title="There is only one branch"
              command={`svc db branches create staging --database ${database.name}`}
            >
              Create another branch to compare its schema with this one:
            </Empty>
          )
          : <BranchesForm visit={visit} against={against} />}
        {diff === undefined ? null : (
          <p aria-live="polite">
            {count === 0
              ? `The schemas of ${branch} and ${against} are identical.`
              : `${formatCount(count, "difference")} from ${against} to ${branch}.`}
          </p>
        )}
        {diff?.truncated === true
          ? <Notice kind="care">{`Results truncated: there are more than ${count}.`}</Notice>
          : null}
      </div>
      {count === 0 ? null : (
        <ol class="rows">
          {diff!.changes.map((change) => (
            <Change key={`${change.kind} ${change.name}`} change={change} />
          ))}
        </ol>
      )}
    </Card>,
  );
}

export function bindDiff(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", `${DATABASE_AT}/diff`, async (visit) => {
    const opened = await openDatabase(visit, services);
    const { branches, place: { api, params, branch: asked } } = opened;
    const other = branches.find(({ name }) => name !== MAIN_BRANCH)?.name;
    // By default, the page compares `main` with the first other branch.
    const branch = visit.query.has("branch") ? asked : other ?? MAIN_BRANCH;
    const against = visit.query.get("against") ?? MAIN_BRANCH;
    const place = { ...opened.place, branch };
    requireBranch({ ...opened, place });
    requireBranch({ ...opened, place: { ...place, branch: against } });
    const diff = other === undefined ? undefined : await api.call(endpoints.diffDatabaseBranch, {
      params: { ...params, branch },
      query: { against },
    });
    return diffPage({ ...opened, place }, { diff, against });
  });
}
