/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's builds, with their states and durations. */
import type { Build, BuildState } from "../../contract/builds.ts";
import {
  Ago,
  Branch,
  Commit,
  durationText,
  Empty,
  Pager,
  renewed,
  State,
  type Tone,
} from "../layout/board_pieces.tsx";
import { Card, Form } from "../layout/pieces.tsx";
import { canChange, cursorOf, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

const STATES: Readonly<
  Record<BuildState, { readonly tone: Tone; readonly word: string; readonly moving?: boolean }>
> = {
  QUEUED: { tone: "care", word: "Queued", moving: true },
  RUNNING: { tone: "care", word: "Building", moving: true },
  SUCCEEDED: { tone: "good", word: "Built" },
  FAILED: { tone: "bad", word: "Failed" },
  CANCELLED: { tone: "idle", word: "Cancelled" },
};

const isUnderWay = ({ state }: Build): boolean => STATES[state].moving === true;

/** Describes how long a build has been waiting, or how long it ran. */
export function timeText(build: Build, now: number): string {
  const { state, ahead, queuedAt, startedAt, finishedAt } = build;
  const at = (moment: string) => Date.parse(moment);
  if (state === "QUEUED") {
    const place = ahead === null || ahead === 0 ? "next in the queue" : `${ahead} ahead`;
    return `${place}, waiting for ${durationText(now - at(queuedAt))}`;
  }
  if (startedAt === null) return "never started";
  return finishedAt === null
    ? `running for ${durationText(now - at(startedAt))}`
    : `took ${durationText(at(finishedAt) - at(startedAt))}`;
}

function BuildRow({ parts, build }: { readonly parts: ProjectVisit; readonly build: Build }) {
  const { context: { csrf, now } } = parts;
  const { id, state, branch, commitSha, environment, error, queuedAt } = build;
  const { word, ...shown } = STATES[state];
  const act = isUnderWay(build)
    ? { action: "cancel", word: "Cancel" }
    : state === "SUCCEEDED"
    ? undefined
    : { action: "retry", word: "Retry" };
  return (
    <li>
      <State {...shown}>{word}</State>
      <div class="main">
        <a href={`/deployments/${id}#log`}>
          <Branch name={branch} /> <Commit sha={commitSha} />
          <span class="hush">: log of this build</span>
        </a>
        {error === null ? null : <span class="soft">{error.split("\n", 1)[0]}</span>}
        <span class="dots soft">
          <span>{environment}</span>
          <span>{timeText(build, now)}</span>
          <Ago at={queuedAt} now={now} />
        </span>
      </div>
      {act === undefined || !canChange(parts) ? null : (
        <div class="acts">
          <Form action={`/deployments/${id}/${act.action}`} csrf={csrf}>
            <button class="quiet little" type="submit">
              {act.word}
              <span class="hush">{` the build of ${branch} ${commitSha.slice(0, 7)}`}</span>
            </button>
          </Form>
        </div>
      )}
    </li>
  );
}

export function buildsPage(parts: ProjectVisit, shown: {
  readonly builds: readonly Build[];
  readonly nextCursor: string | null;
}): Response {
  const { path, project } = parts;
  const { builds, nextCursor } = shown;
  const cursor = cursorOf(parts);
  const refresh = renewed(builds.some(isUnderWay), {
    id: "list",
    path: cursor === null ? path("builds") : `${path("builds")}?cursor=${cursor}`,
  });
  return projectPage(
    parts,
    {
      here: "builds",
      about: "builds",
      acts: canChange(parts) ? <a class="button" href={path("deploy")}>Deploy</a> : undefined,
    },
    <>
      <div id="list" data-live="" {...refresh}>
        <Card title="Builds" id="builds" lead="Newest first. Open a build to see its log.">
          {builds.length === 0
            ? (
              <Empty
                title="No builds yet"
                command={`svc builds start --project-id ${project.name}`}
              >
                Connect a repository or push to the platform. Then deploy, or run:
              </Empty>
            )
            : (
              <ol class="rows">
                {builds.map((build) => <BuildRow key={build.id} parts={parts} build={build} />)}
              </ol>
            )}
        </Card>
      </div>
      <Pager path={path("builds")} cursor={cursor} nextCursor={nextCursor} />
    </>,
  );
}
