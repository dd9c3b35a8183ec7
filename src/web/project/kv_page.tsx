/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module An environment's key-value store: keys, values, and forms for them. */
import { formatBytes } from "../../lib/format.ts";
import { MAX_KEY_BYTES, MAX_TYPE_LENGTH } from "../../lib/kv_limits.ts";
import type { KvEntry } from "../../contract/kv.ts";
import { Empty } from "../layout/board_pieces.tsx";
import { Card, EndButton, Field, Form, Moment, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { shownKey, type ShownKvValue } from "./kv_value.ts";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";
import { pathWith, StoreFilters } from "./store_filters.tsx";

/** The part of the store that the URL selects. */
export interface KvSelection {
  readonly environment: string;
  readonly prefix: string;
  readonly cursor: string | null;
}

interface KvView extends FormPage {
  readonly selection: KvSelection;
  readonly environments: readonly string[];
  readonly items: readonly KvEntry[];
  readonly nextCursor: string | null;
}

function KeyRow({ item, href }: { readonly item: KvEntry; readonly href: string }) {
  return (
    <li>
      <div class="main">
        <a class="whole mono" href={href}>{shownKey(item.key)}</a>
      </div>
      <div class="meta end">
        {item.expiresAt === null ? null : (
          <span>
            until <Moment at={item.expiresAt} />
          </span>
        )}
        <span>{formatBytes(item.size)}</span>
      </div>
    </li>
  );
}

function Keys({ parts, view }: { readonly parts: ProjectVisit; readonly view: KvView }) {
  const path = parts.path("kv");
  const { selection: { environment, prefix, cursor }, items, nextCursor } = view;
  const at = { environment, prefix };
  return (
    <div id="keys" class="stack">
      {items.length > 0
        ? (
          <ol class="rows plain inset">
            {items.map((item) => (
              <KeyRow
                key={item.key}
                item={item}
                href={pathWith(path, { ...at, key: item.key })}
              />
            ))}
          </ol>
        )
        : (
          <Empty
            title={prefix === "" && cursor === null ? "No keys yet" : "No matching keys"}
            command={`svc dev\nsvc kv set boats/kestrel "at sea"`}
          >
            Your servers and functions can write keys here. Add one below, or try the local store of
            {" "}
            <code>svc dev</code> on your machine:
          </Empty>
        )}
      <nav class="pager" aria-label="Pages">
        {cursor === null
          ? null
          : <a class="button quiet little" href={pathWith(path, at)}>First page</a>}
        {nextCursor === null ? null : (
          <a
            class="button quiet little"
            href={pathWith(path, { ...at, cursor: nextCursor })}
          >
            Next page
          </a>
        )}
      </nav>
    </div>
  );
}

/**
 * Shows the field for a value. Browsers drop a line feed right after the opening tag, so an extra
 * one is added.
 */
function ValueField({ value }: { readonly value: string }) {
  return (
    <div class="field">
      <label for="value">Value</label>
      <textarea id="value" name="value" rows={5} autocomplete="off" spellcheck={false}>
        {`\n${value}`}
      </textarea>
    </div>
  );
}

function Options({ state, contentType, ttl }: {
  readonly state: FormState;
  readonly contentType: string;
  readonly ttl: string;
}) {
  return (
    <div class="fields-two">
      <Field
        label="Media type"
        name="contentType"
        state={state}
        autocomplete="off"
        maxlength={MAX_TYPE_LENGTH}
        initial={contentType}
      />
      <Field
        label="Expires after (seconds)"
        name="ttl"
        state={state}
        autocomplete="off"
        inputmode="numeric"
        maxlength={8}
        initial={ttl}
        hint="Leave empty if the value should not expire."
        optional
      />
    </div>
  );
}

/**
 * Returns the number of seconds until a value expires, rounded, so that the form can preserve the
 * expiry.
 */
function secondsLeft({ expiresAt }: ShownKvValue, now: number): string {
  if (expiresAt === null) return "";
  return String(Math.max(1, Math.round((Date.parse(expiresAt) - now) / 1000)));
}

function ValueCard({ parts, shown, value }: {
  readonly parts: ProjectVisit;
  readonly shown: FormPage & { readonly selection: KvSelection };
  readonly value: ShownKvValue;
}) {
  const { context } = parts;
  const { state = EMPTY, selection: { environment, prefix } } = shown;
  const to = (page: string) =>
    pathWith(parts.path(page), { environment, prefix, key: value.key, version: value.version });
  return (
    <Card
      title={shownKey(value.key)}
      id="value-card"
      lead={
        <span class="dots">
          <span>{environment}</span>
          <span>{formatBytes(value.size)}</span>
          <span>{value.contentType}</span>
          {value.expiresAt === null ? null : (
            <span>
              until <Moment at={value.expiresAt} />
            </span>
          )}
        </span>
      }
    >
      <div class="body">
        <Trouble state={state} />
        {value.whyFixed === undefined
          ? (
            <Form action={to("kv/set")} csrf={context.csrf} class="wide">
              <ValueField value={state.values.value ?? value.shown} />
              <Options
                state={state}
                contentType={value.contentType}
                ttl={secondsLeft(value, context.now)}
              />
              <div>
                <button type="submit">Save</button>
              </div>
            </Form>
          )
          : (
            <>
              <p class="soft">{value.whyFixed}</p>
              <pre class="terminal" tabindex={0}>{value.shown}</pre>
            </>
          )}
        <EndButton
          action={to("kv/remove")}
          csrf={context.csrf}
          word="Remove"
          what={shownKey(value.key)}
        />
      </div>
    </Card>
  );
}

function AddCard({ parts, view }: { readonly parts: ProjectVisit; readonly view: KvView }) {
  const { environment, prefix } = view.selection;
  const { state = EMPTY } = view;
  return (
    <Card title="Add a key" id="add" lead={`Adds to the ${environment} store.`}>
      <div class="body">
        <Trouble state={state} />
        <Form
          action={pathWith(parts.path("kv/add"), { environment, prefix })}
          csrf={parts.context.csrf}
          class="wide"
        >
          <Field
            label="Key"
            name="key"
            state={state}
            autocomplete="off"
            maxlength={MAX_KEY_BYTES}
            initial={prefix}
          />
          <ValueField value={state.values.value ?? ""} />
          <Options state={state} contentType="text/plain; charset=utf-8" ttl="" />
          <div>
            <button type="submit">Add</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function kvPage(parts: ProjectVisit, view: KvView): Response {
  return projectPage(
    parts,
    { ...view, here: "kv", about: "key-value store" },
    <>
      <Card title="Keys" id="kv" lead="Each environment has its own store.">
        <div class="body">
          <StoreFilters
            path={parts.path("kv")}
            list="keys"
            also="#add"
            {...view.selection}
            environments={view.environments}
            maxlength={MAX_KEY_BYTES}
          />
          <Keys parts={parts} view={view} />
        </div>
      </Card>
      <AddCard parts={parts} view={view} />
    </>,
  );
}

/** Shows one value; `null` if the key does not exist. */
export function kvValuePage(
  parts: ProjectVisit,
  shown: FormPage & { readonly selection: KvSelection; readonly value: ShownKvValue | null },
): Response {
  const { selection: { environment, prefix }, value } = shown;
  return projectPage(
    parts,
    {
      ...shown,
      here: "kv",
      about: "key-value store",
      ...(value === null ? { status: 404 } : {}),
    },
    <>
      <nav aria-label="Back">
        <a href={pathWith(parts.path("kv"), { environment, prefix })}>All keys</a>
      </nav>
      {value === null
        ? (
          <section class="card" aria-label="Value">
            <Empty title="Key not found">It may have expired or been deleted.</Empty>
          </section>
        )
        : <ValueCard parts={parts} shown={shown} value={value} />}
    </>,
  );
}

/**
 * Renders the page that viewers see instead of the store, because values may contain personal data.
 */
export function closedKvPage(parts: ProjectVisit, shown: FormPage): Response {
  return projectPage(
    parts,
    { ...shown, here: "kv", about: "key-value store" },
    <section class="card" aria-label="Key-value store">
      <Empty title="Only developers can see keys">
        Keys and values may contain personal data, so viewers can't see them. Ask a workspace owner
        for the developer role.
      </Empty>
    </section>,
  );
}
