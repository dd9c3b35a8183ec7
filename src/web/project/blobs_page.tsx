/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module An environment's blob store: folders, objects, and forms for them. */
import { type BlobObject, MAX_KEY_BYTES } from "../../contract/blob_store.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import type { ResponseOf } from "../../contract/endpoint.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import { Ago, Empty } from "../layout/board_pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { Card, EndButton, Field, Form, Moment, Notice, Trouble } from "../layout/pieces.tsx";
import { ShareLine } from "../layout/plots.tsx";
import { MAX_UPLOAD_BYTES } from "../start/read_upload.ts";
import { shownKey } from "./kv_value.ts";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";
import { pathWith, StoreFilters } from "./store_filters.tsx";

/** Lifetimes of signed links in seconds, by label. */
export const LINK_TIMES: readonly (readonly [seconds: number, words: string])[] = [
  [3600, "1 hour"],
  [86_400, "1 day"],
  [604_800, "7 days"],
];

/** The part of the store that the URL selects. */
interface BlobSelection {
  readonly environment: string;
  readonly prefix: string;
  readonly cursor: string | null;
}

interface BlobsView extends FormPage {
  readonly selection: BlobSelection;
  readonly environments: readonly string[];
  readonly page: ResponseOf<typeof endpoints.listBlobs>;
}

/** Returns the part of a key after the current folder. */
const nameIn = (key: string, folder: string): string => shownKey(key.slice(folder.length) || key);

/** Returns the folder that contains the keys with a prefix; an empty string for the top level. */
const folderOf = (prefix: string): string => prefix.slice(0, prefix.lastIndexOf("/") + 1);

function Rows({ parts, view }: { readonly parts: ProjectVisit; readonly view: BlobsView }) {
  const path = parts.path("blobs");
  const { selection: { environment, prefix }, page } = view;
  const folder = folderOf(prefix);
  return (
    <ol class="rows plain inset">
      {page.folders.map((each) => (
        <li key={each}>
          <div class="main">
            <a class="whole mono" href={pathWith(path, { environment, prefix: each })}>
              {nameIn(each, folder)}
            </a>
          </div>
          <div class="meta end">
            <span>folder</span>
          </div>
        </li>
      ))}
      {page.items.map(({ key, size, modifiedAt }) => (
        <li key={key}>
          <div class="main">
            <a class="whole mono" href={pathWith(path, { environment, key })}>
              {nameIn(key, folder)}
            </a>
          </div>
          <div class="meta end">
            <span>{formatBytes(size)}</span>
            <Ago at={modifiedAt} now={parts.context.now} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Objects({ parts, view }: { readonly parts: ProjectVisit; readonly view: BlobsView }) {
  const path = parts.path("blobs");
  const { selection: { environment, prefix, cursor }, page } = view;
  const parent = folderOf(folderOf(prefix).slice(0, -1));
  return (
    <div id="objects" class="stack">
      {folderOf(prefix) === "" ? null : (
        <nav aria-label="Folders">
          <a href={pathWith(path, { environment, prefix: parent })}>
            {parent === "" ? "All folders" : shownKey(parent)}
          </a>
        </nav>
      )}
      {page.items.length + page.folders.length > 0 ? <Rows parts={parts} view={view} /> : (
        <Empty
          title={prefix === "" && cursor === null ? "No objects yet" : "No matching objects"}
          command={`svc blobs put kestrel.jpg photos/ --project-id ${parts.project.name}`}
        >
          Your servers and functions can store files here with any S3 client. Upload some below, or
          run:
        </Empty>
      )}
      <nav class="pager" aria-label="Pages">
        {cursor === null
          ? null
          : (
            <a class="button quiet little" href={pathWith(path, { environment, prefix })}>
              First page
            </a>
          )}
        {page.nextCursor === null ? null : (
          <a
            class="button quiet little"
            href={pathWith(path, { environment, prefix, cursor: page.nextCursor })}
          >
            Next page
          </a>
        )}
      </nav>
    </div>
  );
}

function UploadCard({ parts, view }: { readonly parts: ProjectVisit; readonly view: BlobsView }) {
  const { selection: { environment, prefix }, state = EMPTY } = view;
  return (
    <Card title="Upload files" id="upload" lead={`Adds to the ${environment} store.`}>
      <div class="body">
        <Trouble state={state} />
        <form
          method="post"
          action={pathWith(parts.path("blobs/upload"), { environment, prefix })}
          enctype="multipart/form-data"
        >
          <input type="hidden" name="csrf" value={parts.context.csrf} />
          <div class="field">
            <label for="files">Files</label>
            <input
              id="files"
              name="files"
              type="file"
              multiple
              required
              aria-describedby="files-hint"
            />
            <p class="hint" id="files-hint">
              {`At most ${
                formatBytes(MAX_UPLOAD_BYTES)
              } at a time. Use svc blobs put for larger files. A file replaces any object with the same key.`}
            </p>
          </div>
          <Field
            label="Folder"
            name="folder"
            state={state}
            autocomplete="off"
            maxlength={MAX_KEY_BYTES}
            initial={folderOf(prefix)}
            hint="For example photos/. Leave empty for the top folder."
            optional
          />
          <div>
            <button type="submit">Upload</button>
          </div>
        </form>
      </div>
    </Card>
  );
}

function UsageCard({ view }: { readonly view: BlobsView }) {
  const { page: { usage }, selection: { environment } } = view;
  const { objects, bytes, projectBytes, quotaBytes } = usage;
  return (
    <Card title="Usage" id="blob-usage">
      <ol class="shares plain">
        <li>
          <span>{`Store for ${environment}: ${formatCount(objects, "object")}`}</span>
          <span class="num">{formatBytes(bytes)}</span>
        </li>
        <li>
          <span>All stores in the project</span>
          <span class="num">{`${formatBytes(projectBytes)} of ${formatBytes(quotaBytes)}`}</span>
          <ShareLine value={Math.min(projectBytes, quotaBytes)} most={quotaBytes} />
        </li>
      </ol>
    </Card>
  );
}

export function blobsPage(parts: ProjectVisit, view: BlobsView): Response {
  return projectPage(
    parts,
    { ...view, here: "blobs", about: "blob store" },
    <>
      <Card title="Objects" id="blobs" lead="Each environment has its own store.">
        <div class="body">
          <StoreFilters
            path={parts.path("blobs")}
            list="objects"
            also="#upload,#blob-usage"
            {...view.selection}
            environments={view.environments}
            maxlength={MAX_KEY_BYTES}
          />
          <Objects parts={parts} view={view} />
        </div>
      </Card>
      <UploadCard parts={parts} view={view} />
      <UsageCard view={view} />
    </>,
  );
}

export interface ObjectView extends FormPage {
  readonly environment: string;
  /** The object; `undefined` if the key does not exist. */
  readonly object: BlobObject | undefined;
  /** A link that has just been signed. */
  readonly link?: { readonly url: string; readonly expiresAt: string };
}

function LinkCard({ link }: { readonly link: NonNullable<ObjectView["link"]> }) {
  return (
    <Card title="Signed link" id="link">
      <div class="body">
        <Notice kind="care">
          <p>
            Anyone with the link can download the object until <Moment at={link.expiresAt} />.
          </p>
        </Notice>
        <code class="secret" id="link-url">{link.url}</code>
        <div class="actions">
          <button class="quiet" type="button" data-copy="link-url">Copy link</button>
        </div>
      </div>
    </Card>
  );
}

function ObjectCard({ parts, view, object }: {
  readonly parts: ProjectVisit;
  readonly view: ObjectView;
  readonly object: BlobObject;
}) {
  const { csrf, now } = parts.context;
  const { environment, state = EMPTY } = view;
  const { key, size, contentType, etag, modifiedAt } = object;
  const to = (page: string) => pathWith(parts.path(`blobs/${page}`), { environment, key });
  return (
    <Card
      title={shownKey(key)}
      id="object"
      lead={
        <span class="dots">
          <span>{environment}</span>
          <span>{formatBytes(size)}</span>
          <span>{contentType.slice(0, MAX_KEY_BYTES)}</span>
          <span>
            changed <Ago at={modifiedAt} now={now} />
          </span>
        </span>
      }
    >
      <div class="body">
        <Trouble state={state} />
        <p class="soft small">
          ETag <code>{etag}</code>
        </p>
        <div class="row">
          <a class="button quiet little" href={to("download")} download={key.split("/").at(-1)}>
            Download
          </a>
          <EndButton action={to("delete")} csrf={csrf} word="Delete" what={shownKey(key)} />
        </div>
        <Form action={to("sign")} csrf={csrf} class="line-form">
          <div class="field">
            <label for="expires">Signed link</label>
            <select id="expires" name="expires" autocomplete="off">
              {LINK_TIMES.map(([seconds, words]) => (
                <option key={seconds} value={seconds}>{`for ${words}`}</option>
              ))}
            </select>
          </div>
          <button class="quiet" type="submit">Create link</button>
        </Form>
      </div>
    </Card>
  );
}

/** Renders an object's page, with the actions for the object. */
export function blobPage(parts: ProjectVisit, view: ObjectView & { readonly key: string }) {
  const { environment, object, link, key } = view;
  return projectPage(
    parts,
    {
      ...view,
      here: "blobs",
      about: "blob store",
      ...(object === undefined ? { status: 404 } : {}),
    },
    <>
      <nav aria-label="Back">
        <a href={pathWith(parts.path("blobs"), { environment, prefix: folderOf(key) })}>
          {folderOf(key) === "" ? "All objects" : shownKey(folderOf(key))}
        </a>
      </nav>
      {link === undefined ? null : <LinkCard link={link} />}
      {object === undefined
        ? (
          <section class="card" aria-label="Object">
            <Empty title="Object not found">It may have been deleted.</Empty>
          </section>
        )
        : <ObjectCard parts={parts} view={view} object={object} />}
    </>,
  );
}

/**
 * Renders the page that viewers see instead of the store, because objects may contain personal
 * data.
 */
export function closedBlobsPage(parts: ProjectVisit, shown: FormPage): Response {
  return projectPage(
    parts,
    { ...shown, here: "blobs", about: "blob store" },
    <section class="card" aria-label="Blob store">
      <Empty title="Only developers can see objects">
        Objects may contain personal data, so viewers can't see them. Ask a workspace owner for the
        developer role.
      </Empty>
    </section>,
  );
}
