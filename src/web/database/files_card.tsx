/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The card for importing and exporting a database. */
import { formatBytes } from "../../lib/format.ts";
import { Card, Notice } from "../layout/pieces.tsx";
import { canChange } from "../project/open_project.ts";
import type { DatabaseVisit } from "./open_database.ts";
import type { ImportOutcome } from "./read_import.ts";

/** Maximum size of an imported file, which is kept in memory. */
export const MAX_IMPORT_FORM = 16 * 1024 * 1024;

function ImportForm({ visit, imported }: {
  readonly visit: DatabaseVisit;
  readonly imported: ImportOutcome | undefined;
}) {
  const { path, parts, place, branches } = visit;
  return (
    <form method="post" action={path("import")} enctype="multipart/form-data" class="wide">
      <input type="hidden" name="csrf" value={parts.context.csrf} />
      {imported?.notices.map((text) => <Notice key={text} kind="care">{text}</Notice>)}
      {imported === undefined
        ? null
        : imported.error === undefined
        ? <Notice>{`File imported: ${imported.statements} statements.`}</Notice>
        : <Notice kind="bad">{`Nothing was imported. ${imported.error}`}</Notice>}
      <div class="line-form">
        <div class="field">
          <label for="script">SQL file</label>
          <input
            id="script"
            name="script"
            type="file"
            accept=".sql,application/sql,text/plain"
            required
            aria-describedby="script-hint"
          />
        </div>
        <div class="field">
          <label for="import-branch">Target branch</label>
          <select id="import-branch" name="branch" autocomplete="off">
            {branches.map(({ name }) => (
              <option key={name} value={name} selected={name === place.branch}>{name}</option>
            ))}
          </select>
        </div>
        <button type="submit">Import</button>
      </div>
      <p class="hint small soft" id="script-hint">
        {`Runs the whole file or none of it. At most ${
          formatBytes(MAX_IMPORT_FORM)
        }; use svc db import for larger ones.`}
      </p>
    </form>
  );
}

/** Shows the import form and, to people who are allowed to read the data, the export links. */
export function FilesCard({ visit, imported }: {
  readonly visit: DatabaseVisit;
  readonly imported: ImportOutcome | undefined;
}) {
  const { path, parts, place } = visit;
  const query = new URLSearchParams({ branch: place.branch });
  return (
    <Card title="Import and export" id="files">
      <div class="body">
        <div class="row">
          {canChange(parts)
            ? (
              <a class="button quiet little" href={`${path("export.sql")}?${query}`}>
                Export as SQL
              </a>
            )
            : null}
          <a class="button quiet little" href={`${path("schema.sql")}?${query}`}>
            Export the schema
          </a>
        </div>
        {canChange(parts) ? <ImportForm visit={visit} imported={imported} /> : null}
      </div>
    </Card>
  );
}
