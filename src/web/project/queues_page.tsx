/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module An environment's queues, and the dead letters of one queue. */
import { QUESTIONS } from "../asking/questions.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Queue, QueueMessage } from "../../contract/queues.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import { Ago, Empty, Pager, State } from "../layout/board_pieces.tsx";
import { goTo } from "../layout/document.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { Card, EndButton, Form, Trouble } from "../layout/pieces.tsx";
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

const AT = "/workspaces/:slug/projects/:project/queues";
/** Number of dead letters per page. */
const SIZE = 20;
/** Maximum length of a queue's or an environment's name. */
const MAX_NAME = 100;

/** The part of the page that the URL selects. */
interface QueueView {
  readonly environment: string;
  readonly queue: string;
}

const selectionIn = (query: URLSearchParams): QueueView => ({
  environment: query.get("environment")?.slice(0, MAX_NAME) || ENVIRONMENT_PRODUCTION,
  queue: query.get("queue")?.slice(0, MAX_NAME) ?? "",
});

interface QueuesView extends FormPage {
  readonly selection: QueueView;
  readonly environments: readonly string[];
  readonly queues: readonly Queue[];
  readonly letters?: {
    readonly items: readonly QueueMessage[];
    readonly nextCursor: string | null;
  };
}

function QueueItem({ queue, href }: { readonly queue: Queue; readonly href: string }) {
  const { name, path, concurrency, retries, waiting, running, done, dead } = queue;
  return (
    <li>
      <div class="main">
        <a href={href}>{name}</a>
        <span class="dots soft">
          {path === null
            ? <span>not declared by the live deployment, so its messages wait</span>
            : (
              <>
                <code>{path}</code>
                <span>{`${concurrency} at a time`}</span>
                <span>{retries === 1 ? "1 retry" : `${retries} retries`}</span>
              </>
            )}
        </span>
      </div>
      <div class="meta end">
        <span>{`${waiting} waiting`}</span>
        <span>{`${running} running`}</span>
        <span>{`${done} done`}</span>
        {dead === 0 ? <span>0 dead</span> : <State tone="bad">{`${dead} dead`}</State>}
      </div>
    </li>
  );
}

function Letter({ parts, letter, selection }: {
  readonly parts: ProjectVisit;
  readonly letter: QueueMessage;
  readonly selection: QueueView;
}) {
  const { path, context: { csrf, now } } = parts;
  const { id, key, size, preview, attempts, lastReason, sentAt } = letter;
  const hidden = { ...selection, message: id };
  return (
    <li>
      <div class="main">
        <span>{lastReason ?? "Failed"}</span>
        <span class="dots soft">
          <span>
            sent <Ago at={sentAt} now={now} />
          </span>
          <span>{formatCount(attempts, "attempt")}</span>
          <span>{formatBytes(size)}</span>
          {key === null ? null : <span>{`key ${key}`}</span>}
        </span>
        {preview === null || preview === ""
          ? null
          : <pre class="terminal" tabindex={0}>{preview}</pre>}
      </div>
      {canChange(parts)
        ? (
          <div class="acts">
            <Form action={path("queues/retry")} csrf={csrf} hidden={hidden}>
              <button class="quiet little" type="submit">
                Retry<span class="hush">{` message ${id}`}</span>
              </button>
            </Form>
            <EndButton
              action={path("queues/delete")}
              csrf={csrf}
              word="Delete"
              what={`message ${id}`}
              hidden={hidden}
            />
          </div>
        )
        : null}
    </li>
  );
}

function Letters({ parts, view }: { readonly parts: ProjectVisit; readonly view: QueuesView }) {
  const { path, context: { csrf } } = parts;
  const { selection, letters } = view;
  if (letters === undefined) return null;
  const { items, nextCursor } = letters;
  return (
    <Card
      title={`Dead letters in ${selection.queue}`}
      id="letters"
      lead="Messages that could not be delivered. They are kept for 30 days."
    >
      {items.length === 0
        ? <Empty title="No dead letters">Failed messages show up here.</Empty>
        : (
          <>
            <div class="body">
              <div class="row">
                <Form action={path("queues/retry-all")} csrf={csrf} hidden={{ ...selection }}>
                  <button class="little" type="submit">Retry all</button>
                </Form>
                <EndButton
                  action={path("queues/purge")}
                  csrf={csrf}
                  word="Delete all"
                  what={`dead letters in ${selection.queue}`}
                  hidden={{ ...selection }}
                />
              </div>
            </div>
            <ol class="rows plain">
              {items.map((letter) => (
                <Letter key={letter.id} parts={parts} letter={letter} selection={selection} />
              ))}
            </ol>
          </>
        )}
      <Pager
        path={path("queues")}
        cursor={cursorOf(parts)}
        nextCursor={nextCursor}
        query={{ ...selection }}
      />
    </Card>
  );
}

function queuesPage(parts: ProjectVisit, view: QueuesView): Response {
  const { path } = parts;
  const { selection: { environment }, environments, queues, state = EMPTY } = view;
  const hrefOf = (queue: string) =>
    `${path("queues")}?${new URLSearchParams({ environment, queue })}#letters`;
  return projectPage(
    parts,
    { ...view, here: "queues", about: "queues" },
    <>
      <Card title="Queues" id="queues" lead="Messages that the platform delivers to your server.">
        <div class="body">
          <Trouble state={state} />
          <EnvironmentForm
            path={path("queues")}
            environments={environments}
            chosen={environment}
          />
        </div>
        {queues.length === 0
          ? (
            <Empty
              title="No queues yet"
              command={`svc deploy --prod --project-id ${parts.project.name}`}
            >
              Add <code>[[queues]]</code> with a name and a path to svc.toml, then deploy:
            </Empty>
          )
          : (
            <ol class="rows plain">
              {queues.map((queue) => (
                <QueueItem key={queue.name} queue={queue} href={hrefOf(queue.name)} />
              ))}
            </ol>
          )}
      </Card>
      <Letters parts={parts} view={view} />
    </>,
  );
}

export function bindQueues(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, selection: QueueView, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const { environment, queue } = selection;
    const [{ items: queues }, environments] = await Promise.all([
      parts.api.call(endpoints.listQueues, { params, query: { environment } }),
      environmentNames(parts),
    ]);
    const view = { ...shown, selection, environments, queues };
    if (!canChange(parts) || !queues.some(({ name }) => name === queue)) {
      return queuesPage(parts, view);
    }
    const cursor = cursorOf(parts);
    const letters = await parts.api.call(endpoints.listQueueMessages, {
      params: { ...params, queue },
      query: { environment, limit: SIZE, cursor: cursor ?? undefined },
    });
    return queuesPage(parts, { ...view, letters });
  };

  bind.personal("GET", AT, (visit) => show(visit, selectionIn(visit.query)));

  type Act = (parts: ProjectVisit, selection: QueueView, message: string) => Promise<unknown>;
  /** Handles a form on the page and shows the page again. */
  const run = (done: string, act: Act) => async (visit: PersonVisit) => {
    const { environment, queue, message = "" } = visit.fields;
    const selection = selectionIn(
      new URLSearchParams({ environment: environment ?? "", queue: queue ?? "" }),
    );
    try {
      const parts = await openProject(visit, services);
      await act(parts, selection, message);
      return goTo(`${parts.path("queues")}?${new URLSearchParams({ ...selection, done })}`);
    } catch (error) {
      return await show(visit, selection, refused(error, visit.fields));
    }
  };

  const retry: Act = ({ api, project }, { environment, queue }, message) =>
    api.call(endpoints.retryQueueMessage, {
      params: { project: project.name, queue, message },
      body: { environment },
    });
  const retryAll: Act = ({ api, project }, { environment, queue }) =>
    api.call(endpoints.retryQueue, {
      params: { project: project.name, queue },
      body: { environment },
    });
  const remove: Act = ({ api, project }, { environment, queue }, message) =>
    api.call(endpoints.deleteQueueMessage, {
      params: { project: project.name, queue, message },
      query: { environment },
    });
  const purge: Act = ({ api, project }, { environment, queue }) =>
    api.call(endpoints.purgeQueue, {
      params: { project: project.name, queue },
      body: { environment, state: "dead" },
    });
  bind.personal("POST", `${AT}/retry`, run("message-retried", retry));
  bind.personal("POST", `${AT}/retry-all`, run("letters-retried", retryAll));
  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, (parts) => QUESTIONS.queueMessage(namedIn(parts))),
    run: run("message-deleted", remove),
  });
  bind.asking(`${AT}/purge`, {
    ask: askOnProject(services, (parts) => QUESTIONS.deadLetters(namedIn(parts))),
    run: run("letters-deleted", purge),
  });
}
