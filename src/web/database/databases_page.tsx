/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { formatBytes } from "../../lib/format.ts";
import { CU_SIZES, type Database } from "../../contract/databases.ts";
import { Empty, Pager, renewed, SelectField } from "../layout/board_pieces.tsx";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { SIZES } from "../../platform/databases/mod.ts";
import { DatabaseStateMark } from "./database_state.tsx";
import { canChange, cursorOf, type ProjectVisit } from "../project/open_project.ts";
import { projectPage } from "../project/project_page.tsx";

const SIZE_WORDS = Object.fromEntries(
  CU_SIZES.map((size) => {
    return [size, `${size} (${SIZES[size].memoryMb} MB)`];
  }),
);

function DatabaseRow({ parts, database }: {
  readonly parts: ProjectVisit;
  readonly database: Database;
}) {
  const { name, state, engine, version, cuSize, branches, sizeBytes, reason } = database;
  return (
    <li>
      <DatabaseStateMark state={state} />
      <div class="main">
        <a class="whole" href={parts.path(`databases/${name}`)}>{name}</a>
        <span class="dots soft">
          <span>{version === null ? "PostgreSQL" : `PostgreSQL ${version}`}</span>
          <span>{engine}</span>
          <span>{`${cuSize} CU`}</span>
          {reason === null ? null : <span>{reason}</span>}
        </span>
      </div>
      <div class="meta end">
        <span>{branches === 1 ? "1 branch" : `${branches} branches`}</span>
        {sizeBytes === null ? null : <span>{formatBytes(sizeBytes)}</span>}
      </div>
    </li>
  );
}

export function databasesPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly databases: readonly Database[];
    readonly nextCursor: string | null;
  },
): Response {
  const { path, project, context } = parts;
  const { databases, nextCursor, state = EMPTY } = shown;
  const isMoving = databases.some((each) => each.state === "creating");
  const cursor = cursorOf(parts);
  const refresh = renewed(isMoving, {
    id: "list",
    path: cursor === null ? path("databases") : `${path("databases")}?cursor=${cursor}`,
  });
  return projectPage(
    parts,
    { ...shown, here: "databases", about: "databases" },
    <>
      <div id="list" {...refresh}>
        <Card title="Databases" id="databases">
          {databases.length === 0
            ? (
              <Empty
                title="No databases yet"
                command={`svc db create --name ${project.name} --project-id ${project.name}`}
              >
                Create one below, or run:
              </Empty>
            )
            : (
              <ol class="rows">
                {databases.map((each) => (
                  <DatabaseRow
                    key={each.id}
                    parts={parts}
                    database={each}
                  />
                ))}
              </ol>
            )}
        </Card>
      </div>
      <Pager path={path("databases")} cursor={cursor} nextCursor={nextCursor} />
      {canChange(parts)
        ? (
          <Card
            title="Create a database"
            id="make"
            lead="The next deployment gets its connection string as DATABASE_URL."
          >
            <div class="body">
              <Trouble state={state} />
              <Form action={path("databases")} csrf={context.csrf} class="line-form">
                <Field label="Name" name="name" state={state} autocomplete="off" maxlength={40} />
                <SelectField
                  label="Compute units"
                  name="cuSize"
                  values={CU_SIZES}
                  words={SIZE_WORDS}
                  chosen={state.values.cuSize ?? "0.25"}
                />
                <button type="submit">Create</button>
              </Form>
              <p class="soft small">
                Compute units (CU) limit the memory and the connections of each branch. You can
                change them later. <a href="/docs/databases#sizes-and-limits">Sizes and limits</a>
              </p>
            </div>
          </Card>
        )
        : null}
    </>,
  );
}
