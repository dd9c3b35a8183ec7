/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's drains: the endpoints that receive its logs and metrics. */
import type { ResponseOf } from "../../contract/endpoint.ts";
import { type Drain, MAX_DRAINS } from "../../contract/drains.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { formatCount } from "../../lib/format.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { Ago, Empty, Name, State } from "../layout/board_pieces.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { Card, EndButton, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { askOnProject, canChange, openProject, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

const AT = "/workspaces/:slug/projects/:project/drains";

interface DrainFormPage extends FormPage {
  /** The result of the test that the person has just run, if any. */
  readonly result?: ResponseOf<typeof endpoints.testDrain>;
}

function HealthState({ health, now }: Pick<Drain, "health"> & { readonly now: number }) {
  const { lastSuccessAt, lastErrorAt } = health;
  const hasFailed = lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt);
  if (hasFailed) return <State tone="bad">Failing</State>;
  if (lastSuccessAt === null) return <State tone="care">Nothing sent yet</State>;
  return (
    <State tone="good">
      Sent <Ago at={lastSuccessAt} now={now} />
    </State>
  );
}

function DrainRow({ parts, drain }: { readonly parts: ProjectVisit; readonly drain: Drain }) {
  const { path, context: { csrf, now } } = parts;
  const { id, url, headerNames, health } = drain;
  const { sent, dropped, waiting, lastError, lastErrorAt } = health;
  const { host } = new URL(url);
  return (
    <li>
      <HealthState health={health} now={now} />
      <div class="main">
        <Name text={url} />
        <span class="dots soft">
          {headerNames.length === 0
            ? <span>no headers</span>
            : <span>{`headers: ${headerNames.join(", ")}`}</span>}
          <span>{`${formatCount(sent, "record")} sent`}</span>
          <span>{`${waiting} waiting`}</span>
          <span>{`${dropped} dropped`}</span>
        </span>
        {lastError === null || lastErrorAt === null ? null : (
          <span class="soft small">
            {"Last error "}
            <Ago at={lastErrorAt} now={now} />
            {`: ${lastError}`}
          </span>
        )}
      </div>
      <div class="acts">
        <Form action={path("drains/test")} csrf={csrf} hidden={{ drain: id }}>
          <button class="quiet little" type="submit">
            Test<span class="hush">{` ${host}`}</span>
          </button>
        </Form>
        <EndButton
          action={path("drains/remove")}
          csrf={csrf}
          word="Remove"
          what={`the drain ${host}`}
          hidden={{ drain: id }}
        />
      </div>
    </li>
  );
}

function AddCard(
  { parts, shown }: { readonly parts: ProjectVisit; readonly shown: DrainFormPage },
) {
  const { state = EMPTY } = shown;
  return (
    <Card title="Add a drain" id="add" lead={`A project can have at most ${MAX_DRAINS} drains.`}>
      <div class="body">
        <Trouble state={state} />
        <Form action={parts.path("drains")} csrf={parts.context.csrf} class="wide">
          <Field
            label="URL"
            name="url"
            type="url"
            state={state}
            autocomplete="off"
            hint="The endpoint's base URL, without /v1/logs or /v1/metrics."
          />
          <div class="fields-two">
            <Field
              label="Header"
              name="header"
              state={state}
              autocomplete="off"
              optional
              hint="For example authorization."
            />
            <Field
              label="Header value"
              name="value"
              type="password"
              state={state}
              autocomplete="off"
              optional
              hint="Stored encrypted. You won't see it again."
            />
          </div>
          <div>
            <button type="submit">Add drain</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function drainsPage(parts: ProjectVisit, drains: readonly Drain[], shown: DrainFormPage): Response {
  const { result } = shown;
  return projectPage(
    parts,
    { ...shown, here: "drains", about: "drains" },
    <>
      <Card
        title="Drains"
        id="drains"
        lead={
          <>
            OpenTelemetry endpoints that get this project's logs, errors and metrics.{" "}
            <a href="/docs/drains">How it works</a>
          </>
        }
      >
        {result === undefined ? null : (
          <div class="body">
            <Notice kind={result.delivered ? "good" : "bad"}>
              {`${
                result.delivered ? "Delivered" : "Not delivered"
              } in ${result.durationMs} ms: ${result.detail}`}
            </Notice>
          </div>
        )}
        {drains.length === 0
          ? (
            <Empty title="No drains yet" command="svc drains add https://otlp.example.com">
              {canChange(parts)
                ? "Add one below, or run:"
                : "Only developers and owners can see drains."}
            </Empty>
          )
          : (
            <ol class="rows">
              {drains.map((drain) => <DrainRow key={drain.id} parts={parts} drain={drain} />)}
            </ol>
          )}
      </Card>
      {canChange(parts) ? <AddCard parts={parts} shown={shown} /> : null}
    </>,
  );
}

export function bindDrains(bind: PageBinder, services: BoardServices): void {
  const show = async (parts: ProjectVisit, shown: DrainFormPage = {}) => {
    const params = { project: parts.project.name };
    const { items } = canChange(parts)
      ? await parts.api.call(endpoints.listDrains, { params })
      : { items: [] };
    return drainsPage(parts, items, shown);
  };

  bind.personal("GET", AT, async (visit) => show(await openProject(visit, services)));

  bind.personal("POST", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const { url = "", header = "", value = "" } = visit.fields;
    try {
      await parts.api.call(endpoints.createDrain, {
        params: { project: parts.project.name },
        body: { url: url.trim(), headers: header === "" ? {} : { [header.trim()]: value } },
      });
      return parts.back("drains", "drain-added");
    } catch (error) {
      return show(parts, refused(error, { url, header }));
    }
  });

  bind.personal("POST", `${AT}/test`, async (visit) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name, drain: visit.fields.drain ?? "" };
    try {
      return await show(parts, { result: await parts.api.call(endpoints.testDrain, { params }) });
    } catch (error) {
      return show(parts, refused(error, {}));
    }
  });

  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.drain(namedIn(parts))),
    run: async (visit) => {
      const { api, project, back } = await openProject(visit, services);
      const params = { project: project.name, drain: visit.fields.drain ?? "" };
      await api.call(endpoints.deleteDrain, { params });
      return back("drains", "drain-removed");
    },
  });
}
