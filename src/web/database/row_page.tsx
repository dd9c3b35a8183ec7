/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The form for an existing or a new row. */
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { Card, EndButton, Notice, Trouble } from "../layout/pieces.tsx";
import { gridQuery, gridSelectionIn } from "./grid_selection.ts";
import type { DatabaseVisit } from "./open_database.ts";
import type { Column, TableDetails } from "./read_catalog.ts";
import { type Mode, modeIn, type StoredRow } from "./row_values.ts";
import { studioPage } from "./studio_page.tsx";
import { Value } from "./value.tsx";

/** Types with values that can be long or have several lines. */
const LONG = /^(?:text|json|jsonb|xml|bytea|character varying.*|.*\[\])$/;
const NUMBER = /^(?:smallint|integer|bigint|real|double precision|numeric.*)$/;

interface ColumnFieldProps {
  readonly column: Column;
  readonly isKey: boolean;
  /** The stored value; `undefined` for a new row. */
  readonly before: string | null | undefined;
  readonly state: FormState;
  /** The value that someone else saved while the form was open. */
  readonly newer: string | null | undefined;
}

/** Returns the options that are offered next to a field, with the default first. */
function modesOf({ column, before }: ColumnFieldProps): [Mode, string][] {
  const isNew = before === undefined;
  const rest = column.default !== null || column.isIdentity
    ? "default"
    : column.isRequired
    ? undefined
    : "NULL";
  const typed = isNew
    ? rest === undefined ? "as typed" : `as typed, ${rest} if empty`
    : before === null
    ? "as typed, NULL if empty"
    : "as typed";
  return [
    ["typed", typed],
    ...(isNew || before === null ? [["empty", "empty string"] as [Mode, string]] : []),
    ...(column.isRequired ? [] : [["null", "NULL"] as [Mode, string]]),
    ...(column.default === null ? [] : [["default", "default"] as [Mode, string]]),
  ];
}

function Input({ column, text, hintId }: {
  readonly column: Column;
  readonly text: string;
  readonly hintId: string | undefined;
}) {
  const { name, type } = column;
  const shared = {
    id: `value.${name}`,
    name: `value.${name}`,
    autocomplete: "off",
    spellcheck: false,
    "aria-describedby": hintId,
  };
  if (type === "boolean") {
    return (
      <select {...shared}>
        {["", "true", "false"].map((each) => (
          <option key={each} value={each} selected={each === text}>{each}</option>
        ))}
      </select>
    );
  }
  if (LONG.test(type) || text.includes("\n")) {
    // HTML drops a newline at the start of a text area, so an extra one is added.
    return (
      <textarea {...shared} class="low" rows={text.length > 80 ? 6 : 2}>{`\n${text}`}</textarea>
    );
  }
  return (
    <input
      {...shared}
      class="mono"
      value={text}
      inputmode={NUMBER.test(type) ? "decimal" : undefined}
    />
  );
}

function ColumnField(props: ColumnFieldProps) {
  const { column, isKey, before, state, newer } = props;
  const { name, type } = column;
  const text = state.values[`value.${name}`] ?? before ?? "";
  const modes = modesOf(props);
  const hintId = newer === undefined ? undefined : `newer.${name}`;
  return (
    <div class="field column-field">
      <label for={`value.${name}`}>
        <span class="mono">{name}</span> <span class="soft small">{type}</span>
        {isKey ? <span class="tag good">primary</span> : null}
      </label>
      <div class="typed">
        <Input column={column} text={text} hintId={hintId} />
        {modes.length === 1 ? null : (
          <>
            <label class="hush" for={`mode.${name}`}>{`How to set ${name}`}</label>
            <select id={`mode.${name}`} name={`mode.${name}`} autocomplete="off">
              {modes.map(([mode, word]) => (
                <option key={mode} value={mode} selected={mode === modeIn(state.values, name)}>
                  {word}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      {newer === undefined ? null : (
        <p class="wrong" id={hintId}>
          Now stored: <Value value={newer} length={200} />
        </p>
      )}
    </div>
  );
}

function FixedValue({ column, value, reason }: {
  readonly column: Column;
  readonly value: string | null;
  readonly reason: string;
}) {
  return (
    <div class="field">
      <span>
        <span class="mono">{column.name}</span>{" "}
        <span class="soft small">{`${column.type} · ${reason}`}</span>
      </span>
      <p class="mono small fixed">
        <Value value={value} length={500} />
      </p>
    </div>
  );
}

function RowForm({ visit, table, stored, action, state, newer }: {
  readonly visit: DatabaseVisit;
  readonly table: TableDetails;
  readonly stored: StoredRow | undefined;
  readonly action: string;
  readonly state: FormState;
  readonly newer: ReadonlyMap<string, string | null>;
}) {
  const { csrf } = visit.parts.context;
  return (
    <form method="post" action={action} enctype="multipart/form-data" class="wide">
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="branch" value={visit.place.branch} />
      {stored === undefined
        ? null
        : <input type="hidden" name="fingerprint" value={stored.fingerprint} />}
      {table.columns.map((column) => {
        const { name, isGenerated } = column;
        const before = stored?.values.get(name);
        if (isGenerated) {
          return stored === undefined
            ? null
            : <FixedValue key={name} column={column} value={before ?? null} reason="generated" />;
        }
        if (stored?.cut.has(name)) {
          return (
            <FixedValue
              key={name}
              column={column}
              value={before ?? null}
              reason="too long to edit here: use SQL"
            />
          );
        }
        return (
          <ColumnField
            key={name}
            column={column}
            isKey={table.key.includes(name)}
            before={before}
            state={state}
            newer={newer.get(name)}
          />
        );
      })}
      <div>
        <button type="submit">{stored === undefined ? "Add row" : "Save"}</button>
      </div>
    </form>
  );
}

const NOTHING: ReadonlyMap<string, string | null> = new Map();

/** Renders the form for a row. */
export function rowPage(
  visit: DatabaseVisit,
  table: TableDetails,
  shown: FormPage & {
    /** `undefined` for a new row. */
    readonly stored?: StoredRow;
    /** Values that someone else saved while the form was open. */
    readonly newer?: ReadonlyMap<string, string | null>;
  },
): Response {
  const { state = EMPTY, stored, newer = NOTHING } = shown;
  const { query } = visit.parts.visit;
  const name = { branch: visit.place.branch, schema: table.schema, table: table.name };
  const back = `${visit.path("tables")}?${gridQuery(name, gridSelectionIn(query, table))}`;
  const page = stored === undefined ? "tables/new" : "tables/row";
  return studioPage(
    visit,
    { ...shown, here: "tables" },
    <Card
      title={stored === undefined ? `Add a row to ${table.name}` : `Row in ${table.name}`}
      id="row"
      lead={<a href={back}>{`All rows in ${table.name}`}</a>}
    >
      <div class="body">
        {newer.size > 0
          ? (
            <Notice kind="care">
              Someone changed this row after you opened it. Your changes are kept below. Save again
              to overwrite theirs.
            </Notice>
          )
          : null}
        <Trouble state={state} />
        <RowForm
          visit={visit}
          table={table}
          stored={stored}
          action={`${visit.path(page)}?${query}`}
          state={state}
          newer={newer}
        />
        {stored === undefined ? null : (
          <EndButton
            action={`${visit.path("tables/row/remove")}?${query}`}
            csrf={visit.parts.context.csrf}
            word="Delete"
            what={`the row in ${table.name}`}
            hidden={{ branch: visit.place.branch, fingerprint: stored.fingerprint }}
          />
        )}
      </div>
    </Card>,
  );
}
