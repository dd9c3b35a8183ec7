/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Production's scheduled tasks, with their runs and a button to run them. */
import type { CronRun, CronTask } from "../../contract/cron.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { RequestLogEntry } from "../../contract/logs.ts";
import { scheduleWords } from "../../lib/schedule_words.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { Ago, durationText, Empty, renewed, State, type Tone } from "../layout/board_pieces.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { Card, Form, Moment, Trouble } from "../layout/pieces.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { canChange, openProject, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

const OUTCOMES: Readonly<
  Record<CronRun["outcome"], { readonly tone: Tone; readonly word: string; moving?: boolean }>
> = {
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
  running: { tone: "care", word: "Running", moving: true },
};

/** Describes how a run finished, such as `200 in 31 ms`. */
function runText({ outcome, status, error, durationMs }: CronRun): string {
  if (outcome === "running") return "running";
  const answer = status === null ? "no response" : `status ${status}`;
  const time = durationMs === null ? "" : ` in ${msText(durationMs)}`;
  return `${answer}${time}${error === null ? "" : `: ${error}`}`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Formats a duration, in units from seconds to days. */
const waitText = (ms: number): string =>
  ms < 2 * DAY_MS ? durationText(ms) : `${Math.floor(ms / DAY_MS)} days`;

const msText = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);

function LogLink({ parts, requestId, what }: {
  readonly parts: ProjectVisit;
  readonly requestId: string;
  readonly what: string;
}) {
  return (
    <a href={`${parts.path("logs")}?search=${encodeURIComponent(requestId)}`}>
      Log<span class="hush">{` of ${what}`}</span>
    </a>
  );
}

function LastRun({ parts, run }: { readonly parts: ProjectVisit; readonly run: CronRun }) {
  return (
    <span class="dots soft">
      <span>{runText(run)}</span>
      <span>
        <Ago at={run.startedAt} now={parts.context.now} />
        {run.trigger === "request" ? ", on request" : ""}
      </span>
      {run.requestId === ""
        ? null
        : <LogLink parts={parts} requestId={run.requestId} what={`the last run of ${run.path}`} />}
    </span>
  );
}

function NextRun({ at, now }: { readonly at: string; readonly now: number }) {
  return (
    <span>
      Next <Moment at={at} />, in {waitText(Date.parse(at) - now)}
    </span>
  );
}

function TaskRow({ parts, task }: { readonly parts: ProjectVisit; readonly task: CronTask }) {
  const { path, schedule, timezone, nextRunAt, lastRun } = task;
  const { context: { csrf, now } } = parts;
  const { word, ...shown } = lastRun === null
    ? { tone: "idle" as const, word: "Not run yet" }
    : OUTCOMES[lastRun.outcome];
  return (
    <li>
      <State {...shown}>{word}</State>
      <div class="main">
        <span class="mono">{path}</span>
        <span class="dots soft">
          <span>{scheduleWords(schedule)}</span>
          <span class="mono">{schedule}</span>
          <span>{timezone}</span>
        </span>
        <span class="soft">
          {nextRunAt === null ? "Never due again" : <NextRun at={nextRunAt} now={now} />}
        </span>
        {lastRun === null ? null : <LastRun parts={parts} run={lastRun} />}
      </div>
      {!canChange(parts) || lastRun?.outcome === "running" ? null : (
        <div class="acts">
          <Form action={parts.path("cron/run")} csrf={csrf} hidden={{ path }}>
            <button class="quiet little" type="submit">
              Run now<span class="hush">{`: ${path}`}</span>
            </button>
          </Form>
        </div>
      )}
    </li>
  );
}

function PastRun({ parts, run }: { readonly parts: ProjectVisit; readonly run: RequestLogEntry }) {
  const { path, status, durationMs, requestId, time, error } = run;
  const failed = status >= 400 || error !== undefined;
  return (
    <li>
      <State tone={failed ? "bad" : "good"}>{failed ? "Failed" : "Succeeded"}</State>
      <div class="main">
        <span class="mono">{path}</span>
        <span class="dots soft">
          <span>{`status ${status} in ${msText(durationMs)}`}</span>
          {error === undefined ? null : <span>{error}</span>}
        </span>
      </div>
      <div class="meta end">
        <Moment at={time} />
        <LogLink parts={parts} requestId={requestId} what={`the run of ${path}`} />
      </div>
    </li>
  );
}

function cronPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly tasks: readonly CronTask[];
    /** Newest first. */
    readonly runs: readonly RequestLogEntry[];
  },
): Response {
  const { tasks, runs, state = EMPTY } = shown;
  const isRunning = tasks.some(({ lastRun }) => lastRun?.outcome === "running");
  const refresh = renewed(isRunning, { id: "list", path: parts.path("cron") });
  return projectPage(
    parts,
    { ...shown, here: "cron", about: "scheduled tasks" },
    <>
      <Trouble state={state} />
      <div id="list" class="stack" {...refresh}>
        <Card
          title="Scheduled tasks"
          id="tasks"
          lead="Requests to the production deployment, declared as [[cron]] in svc.toml."
        >
          {tasks.length === 0
            ? (
              <Empty
                title="No scheduled tasks"
                command={`svc deploy --prod --project-id ${parts.project.name}`}
              >
                Add <code>[[cron]]</code> with a path and a schedule to svc.toml, then deploy:
              </Empty>
            )
            : (
              <ol class="rows">
                {tasks.map((task) => <TaskRow key={task.path} parts={parts} task={task} />)}
              </ol>
            )}
        </Card>
        {runs.length === 0
          ? null
          : (
            <Card title="Recent runs" id="runs" lead="Newest first, as far back as the log goes.">
              <ol class="rows">
                {runs.map((run) => <PastRun key={run.requestId} parts={parts} run={run} />)}
              </ol>
            </Card>
          )}
      </div>
    </>,
  );
}

const AT = "/workspaces/:slug/projects/:project/cron";
/** Number of runs on the page, and number of log lines to read. */
const RUNS = 20;
/** The `User-Agent` of every request from a task. The IDs of these requests start with `cron-`. */
const AGENT = "svc-cron";

/** Reads the latest runs from the log. */
async function recentRuns({ api, project }: ProjectVisit): Promise<RequestLogEntry[]> {
  const { items } = await api.call(endpoints.listLogs, {
    params: { project: project.name },
    query: { search: AGENT, limit: RUNS },
  });
  return items.filter((entry) => entry.type === "request" && entry.requestId.startsWith("cron-"))
    .toReversed() as RequestLogEntry[];
}

export function bindCron(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const [{ items: tasks }, runs] = await Promise.all([
      parts.api.call(endpoints.listCronTasks, { params }),
      recentRuns(parts),
    ]);
    return cronPage(parts, { ...shown, tasks, runs });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", `${AT}/run`, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    const { path = "" } = visit.fields;
    try {
      const params = { project: project.name };
      const run = await api.call(endpoints.runCronTask, { params, body: { path } });
      if (run.outcome !== "failed") return back("cron", `task-${run.outcome}`);
      throw new Failure("conflict", `${path} failed: ${runText(run)}`);
    } catch (error) {
      return show(visit, refused(error, visit.fields));
    }
  });
}
