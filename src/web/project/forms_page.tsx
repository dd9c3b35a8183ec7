/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module An environment's forms, and the submissions to one of them. */
import { QUESTIONS } from "../asking/questions.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { SubmissionsCsv } from "../../contract/form_export.ts";
import {
  type Form as SiteForm,
  FORM_STATES,
  type FormState,
  type FormSubmission,
} from "../../contract/forms.ts";
import { formatBytes } from "../../lib/format.ts";
import { attachment } from "../layout/attachment.ts";
import { Ago, Empty, Pager } from "../layout/board_pieces.tsx";
import { goTo } from "../layout/document.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { Card, EndButton, Trouble } from "../layout/pieces.tsx";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { EnvironmentForm } from "./environment_form.tsx";
import { environmentNames } from "./environment_names.ts";
import {
  askOnProject,
  canChange,
  cursorOf,
  openProject,
  type ProjectVisit,
} from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

const AT = "/workspaces/:slug/projects/:project/forms";
/** Number of submissions per page, and per request in an export. */
const [SIZE, EXPORT_SIZE] = [20, 100];
/** Maximum number of pages in an export; no project has more. */
const EXPORT_PAGES = 250;
/** Maximum length of a form's or an environment's name. */
const MAX_NAME = 100;
const FULL = {
  state: { ...EMPTY, failure: "No space left: new submissions are rejected. Delete some." },
};

/** The part of the page that the URL selects. */
interface View {
  readonly environment: string;
  readonly form: string;
  readonly show: FormState;
}

const selectionIn = (query: URLSearchParams): View => ({
  environment: query.get("environment")?.slice(0, MAX_NAME) || ENVIRONMENT_PRODUCTION,
  form: query.get("form")?.slice(0, MAX_NAME) ?? "",
  show: FORM_STATES.find((state) => state === query.get("show")) ?? "inbox",
});

interface FormsView extends FormPage {
  readonly selection: View;
  readonly environments: readonly string[];
  readonly forms: readonly SiteForm[];
  readonly page?: {
    readonly items: readonly FormSubmission[];
    readonly nextCursor: string | null;
  };
}

function FormItem({ form, href, now }: {
  readonly form: SiteForm;
  readonly href: string;
  readonly now: number;
}) {
  const { name, isDeclared, inbox, spam, lastAt } = form;
  return (
    <li>
      <div class="main">
        <a href={href}>{name}</a>
        <span class="dots soft">
          {isDeclared ? null : <span>not in the live deployment</span>}
          {lastAt === null ? <span>no submissions yet</span> : (
            <span>
              latest <Ago at={lastAt} now={now} />
            </span>
          )}
        </span>
      </div>
      <div class="meta end">
        <span>{`${inbox} received`}</span>
        <span>{`${spam} spam`}</span>
      </div>
    </li>
  );
}

/** Shows a submission. The text is shown literally, without links. */
function Submission({ parts, submission, selection }: {
  readonly parts: ProjectVisit;
  readonly submission: FormSubmission;
  readonly selection: View;
}) {
  const { path, context: { csrf, now } } = parts;
  const { id, sentAt, spamReason, page, fields, files } = submission;
  const { environment } = selection;
  const fileOf = (key: string) =>
    `${path("blobs/download")}?${new URLSearchParams({ environment, key })}`;
  const [first] = fields;
  return (
    <li>
      <div class="main">
        <details>
          <summary>
            {first === undefined ? "No text" : first.value.slice(0, 80) || first.name}
          </summary>
          <dl class="facts">
            {fields.map(({ name, value }) => (
              <div>
                <dt>{name}</dt>
                <dd class={value.includes("\n") ? "fixed" : undefined}>{value}</dd>
              </div>
            ))}
            {files.map(({ field, name, size, key }) => (
              <div>
                <dt>{field}</dt>
                <dd>
                  {key === null ? name : <a href={fileOf(key)} download>{name}</a>}
                  {`, ${formatBytes(size)}${key === null ? ", not kept" : ""}`}
                </dd>
              </div>
            ))}
          </dl>
        </details>
        <span class="dots soft">
          <span>
            sent <Ago at={sentAt} now={now} />
          </span>
          {page === null ? null : <code>{page}</code>}
          {spamReason === null ? null : <span>{spamReason}</span>}
        </span>
      </div>
      <div class="acts">
        <EndButton
          action={path("forms/delete")}
          csrf={csrf}
          word="Delete"
          what={`submission ${id}`}
          hidden={{ ...selection, submission: id }}
        />
      </div>
    </li>
  );
}

function Submissions({ parts, view }: { readonly parts: ProjectVisit; readonly view: FormsView }) {
  const { path, context: { csrf } } = parts;
  const { selection, page } = view;
  if (page === undefined) return null;
  const { items, nextCursor } = page;
  const hrefOf = (to: string, more: Readonly<Record<string, string>>) =>
    `${path(to)}?${new URLSearchParams({ ...selection, ...more })}`;
  const isSpam = selection.show === "spam";
  const other = isSpam ? "inbox" : "spam";
  return (
    <Card
      title={`${isSpam ? "Spam" : "Submissions"} in ${selection.form}`}
      id="submissions"
      lead={isSpam ? "Spam is deleted after 30 days. Files sent with it are not kept." : undefined}
    >
      <div class="body">
        <div class="row">
          <a class="button quiet little" href={hrefOf("forms", { show: other })}>
            {isSpam ? "Show submissions" : "Show spam"}
          </a>
          {items.length === 0 ? null : (
            <>
              <a
                class="button quiet little"
                href={hrefOf("forms/export", { format: "csv" })}
                download
              >
                Export CSV
              </a>
              <a
                class="button quiet little"
                href={hrefOf("forms/export", { format: "json" })}
                download
              >
                Export JSON
              </a>
              <EndButton
                action={path("forms/purge")}
                csrf={csrf}
                word="Delete all"
                what={`${isSpam ? "spam" : "submissions"} in ${selection.form}`}
                hidden={{ ...selection }}
              />
            </>
          )}
        </div>
      </div>
      {items.length === 0
        ? (
          <Empty title={isSpam ? "No spam" : "No submissions"}>
            New submissions appear here.
          </Empty>
        )
        : (
          <ol class="rows plain">
            {items.map((each) => (
              <Submission key={each.id} parts={parts} submission={each} selection={selection} />
            ))}
          </ol>
        )}
      <Pager
        path={path("forms")}
        cursor={cursorOf(parts)}
        nextCursor={nextCursor}
        query={{ ...selection }}
      />
    </Card>
  );
}

function formsPage(parts: ProjectVisit, view: FormsView): Response {
  const { path, context: { now } } = parts;
  const { selection: { environment }, environments, forms, state = EMPTY } = view;
  const hrefOf = (form: string) =>
    `${path("forms")}?${new URLSearchParams({ environment, form })}#submissions`;
  return projectPage(
    parts,
    { ...view, here: "forms", about: "forms" },
    <>
      <Card title="Forms" id="forms" lead="Submissions to the forms on your site.">
        <div class="body">
          <Trouble state={state} />
          <EnvironmentForm
            path={path("forms")}
            environments={environments}
            chosen={environment}
          />
        </div>
        {forms.length === 0
          ? (
            <Empty
              title="No forms yet"
              command={`svc deploy --prod --project-id ${parts.project.name}`}
            >
              Add <code>{`<form action="/_svc/forms/contact" method="post">`}</code>{" "}
              to a page, then deploy:
            </Empty>
          )
          : (
            <ol class="rows plain">
              {forms.map((form) => (
                <FormItem key={form.name} form={form} href={hrefOf(form.name)} now={now} />
              ))}
            </ol>
          )}
      </Card>
      <Submissions parts={parts} view={view} />
    </>,
  );
}

/** Yields all submissions in one state, newest first, page by page. */
async function* pagesOf(
  { api, project }: ProjectVisit,
  { environment, form, show }: View,
): AsyncGenerator<readonly FormSubmission[], void, void> {
  let cursor: string | null = null;
  for (let n = 0; n < EXPORT_PAGES; n++) {
    const page: { items: FormSubmission[]; nextCursor: string | null } = await api.call(
      endpoints.listFormSubmissions,
      {
        params: { project: project.name, form },
        query: {
          environment,
          state: show,
          limit: EXPORT_SIZE,
          cursor: cursor ?? undefined,
        },
      },
    );
    yield page.items;
    cursor = page.nextCursor;
    if (cursor === null) return;
  }
}

async function* csvOf(parts: ProjectVisit, selection: View): AsyncGenerator<string, void, void> {
  const csv = new SubmissionsCsv();
  for await (const items of pagesOf(parts, selection)) csv.count(items);
  yield csv.head();
  for await (const items of pagesOf(parts, selection)) yield csv.rows(items);
}

async function* jsonOf(parts: ProjectVisit, selection: View): AsyncGenerator<string, void, void> {
  let before = "[";
  for await (const items of pagesOf(parts, selection)) {
    for (const each of items) {
      yield `${before}${JSON.stringify(each)}`;
      before = ",";
    }
  }
  yield before === "[" ? "[]" : "]";
}

/** Streams all submissions in one state as a file, newest first. */
async function download(
  parts: ProjectVisit,
  selection: View,
  format: "csv" | "json",
): Promise<Response> {
  const isCsv = format === "csv";
  const texts = isCsv ? csvOf(parts, selection) : jsonOf(parts, selection);
  // An immediate failure is shown as a page rather than sent as a file.
  const first = await texts.next();
  const encoder = new TextEncoder();
  const bytes = async function* () {
    if (!first.done) yield encoder.encode(first.value);
    for await (const text of texts) yield encoder.encode(text);
  };
  return new Response(ReadableStream.from(bytes()), {
    headers: {
      "content-type": isCsv ? "text/csv; charset=utf-8" : "application/json",
      "content-disposition": attachment(`${parts.project.name}-${selection.form}.${format}`),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

export function bindForms(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, selection: View, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const { environment, form } = selection;
    const [{ items: forms, hasRoom }, environments] = await Promise.all([
      parts.api.call(endpoints.listForms, { params, query: { environment } }),
      environmentNames(parts),
    ]);
    const view = { ...(hasRoom ? {} : FULL), ...shown, selection, environments, forms };
    if (!canChange(parts) || !forms.some(({ name }) => name === form)) {
      return formsPage(parts, view);
    }
    const cursor = cursorOf(parts);
    const page = await parts.api.call(endpoints.listFormSubmissions, {
      params: { ...params, form },
      query: {
        environment,
        state: selection.show,
        limit: SIZE,
        cursor: cursor ?? undefined,
      },
    });
    return formsPage(parts, { ...view, page });
  };

  bind.personal("GET", AT, (visit) => show(visit, selectionIn(visit.query)));
  bind.personal("GET", `${AT}/export`, async (visit) => {
    const format = visit.query.get("format") === "json" ? "json" : "csv";
    return await download(await openProject(visit, services), selectionIn(visit.query), format);
  });

  type Act = (parts: ProjectVisit, selection: View, submission: string) => Promise<unknown>;
  /** Handles a form on the page and shows the page again. */
  const run = (done: string, act: Act) => async (visit: PersonVisit) => {
    const { environment = "", form = "", show: state = "", submission = "" } = visit.fields;
    const selection = selectionIn(new URLSearchParams({ environment, form, show: state }));
    try {
      const parts = await openProject(visit, services);
      await act(parts, selection, submission);
      return goTo(`${parts.path("forms")}?${new URLSearchParams({ ...selection, done })}`);
    } catch (error) {
      return await show(visit, selection, refused(error, visit.fields));
    }
  };

  const remove: Act = ({ api, project }, { environment, form }, submission) =>
    api.call(endpoints.deleteFormSubmission, {
      params: { project: project.name, form, submission },
      query: { environment },
    });
  const purge: Act = ({ api, project }, { environment, form, show: state }) =>
    api.call(endpoints.purgeForm, {
      params: { project: project.name, form },
      body: { environment, state },
    });
  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, (parts) => QUESTIONS.submission(namedIn(parts))),
    run: run("submission-deleted", remove),
  });
  bind.asking(`${AT}/purge`, {
    ask: askOnProject(services, (parts) => QUESTIONS.submissions(namedIn(parts))),
    run: run("submissions-deleted", purge),
  });
}
