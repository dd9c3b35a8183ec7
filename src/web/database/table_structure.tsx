/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows a branch's tables, and the columns, keys and indexes of one table. */
import { formatBytes } from "../../lib/format.ts";
import { Card } from "../layout/pieces.tsx";
import { gridQuery } from "./grid_selection.ts";
import type { DatabaseVisit } from "./open_database.ts";
import { type Catalog, MAX_TABLES, type TableDetails, type TableEntry } from "./read_catalog.ts";

const rowsText = (rows: number): string =>
  rows < 0 ? "" : `≈ ${Math.round(rows).toLocaleString("en")}`;

function TableItem({ visit, entry, isHere }: {
  readonly visit: DatabaseVisit;
  readonly entry: TableEntry;
  readonly isHere: boolean;
}) {
  const { schema, name, kind, rows, bytes } = entry;
  const query = gridQuery({ branch: visit.place.branch, schema, table: name });
  return (
    <li>
      <a
        href={`${visit.path("tables")}?${query}`}
        aria-current={isHere ? "page" : undefined}
        title={kind === "table" ? formatBytes(bytes) : kind}
      >
        <span class="clip">{schema === "public" ? name : `${schema}.${name}`}</span>
        <span class="soft small">{kind === "table" ? rowsText(rows) : kind}</span>
      </a>
    </li>
  );
}

export function TableList({ visit, catalog }: {
  readonly visit: DatabaseVisit;
  readonly catalog: Catalog;
}) {
  const { tables, table } = catalog;
  return (
    <nav class="tables" aria-label="Tables">
      <ul>
        {tables.slice(0, MAX_TABLES).map((entry) => (
          <TableItem
            key={`${entry.schema}.${entry.name}`}
            visit={visit}
            entry={entry}
            isHere={entry.schema === table?.schema && entry.name === table.name}
          />
        ))}
      </ul>
      {tables.length > MAX_TABLES
        ? (
          <p class="small soft">
            {`Only the first ${MAX_TABLES} tables are listed. Use SQL for the others.`}
          </p>
        )
        : null}
    </nav>
  );
}

export function Structure({ visit, table }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
}) {
  return (
    <Card title="Columns and indexes" id="structure">
      <div class="scroll" tabindex={0} role="region" aria-label="Columns">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">Key</th>
              <th scope="col">Default</th>
            </tr>
          </thead>
          <tbody>
            {table.columns.map((column) => (
              <tr key={column.name}>
                <td class="mono">{column.name}</td>
                <td class="mono">{column.isRequired ? `${column.type} not null` : column.type}</td>
                <td>
                  {table.key.includes(column.name) ? <span class="tag good">primary</span> : null}
                  {column.refers === null ? null : (
                    <a
                      href={`${visit.path("tables")}?${
                        gridQuery({
                          branch: visit.place.branch,
                          schema: column.refers.schema,
                          table: column.refers.table,
                        })
                      }`}
                    >
                      {`→ ${column.refers.table}.${column.refers.column}`}
                    </a>
                  )}
                </td>
                <td class="mono">
                  {column.isIdentity ? "identity" : column.default}
                  {column.isGenerated && !column.isIdentity ? " (generated)" : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.indexes.length === 0 ? null : (
        <ul class="indexes mono small">
          {table.indexes.map(({ name, definition }) => <li key={name}>{definition}</li>)}
        </ul>
      )}
    </Card>
  );
}
