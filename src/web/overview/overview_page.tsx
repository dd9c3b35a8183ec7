/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The projects of a workspace with what they show and their latest deployment, and the form
 * for a new one.
 *
 * @module
 */
import type { Project } from "../../contract/projects.ts";
import {
  Ago,
  Commit,
  DeploymentStateMark,
  Empty,
  Pager,
  SiteLink,
  State,
} from "../layout/board_pieces.tsx";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { overviewPath, projectPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import type { DeploymentRecord } from "../../platform/deployments/mod.ts";
import { DayPlace } from "./day_figures.tsx";

const FIRST_COMMANDS = "svc login\nsvc init --create\nsvc deploy --prod";

interface Shown {
  readonly project: Project;
  /** The newest deployment, whatever became of it. */
  readonly latest: DeploymentRecord | undefined;
}

function LatestDeployment({ latest, now }: {
  readonly latest: DeploymentRecord;
  readonly now: number;
}) {
  const { message, commitSha, branch, author, createdAt } = latest;
  return (
    <>
      <div class="said">
        <p class="clip">{message ?? <span class="soft">No message</span>}</p>
        <p class="dots small soft clip">
          <span class="mono">{branch}</span>
          {commitSha === null ? null : <Commit sha={commitSha} />}
        </p>
      </div>
      <p class="foot">
        <span class="dots">
          {author === null ? null : <span>{author}</span>}
          <span>
            <Ago at={new Date(createdAt).toISOString()} now={now} />
          </span>
          <span>{latest.environment}</span>
        </span>
      </p>
    </>
  );
}

function ProjectTile({ shown: { project, latest }, context }: {
  readonly shown: Shown;
  readonly context: BoardContext;
}) {
  const { name, displayName, url, productionDeploymentId } = project;
  return (
    <li class="tile">
      <div class="top">
        <img
          class="sign"
          src={projectPath(context.workspace.slug, name, "picture")}
          alt=""
          width="36"
          height="36"
          loading="lazy"
        />
        <h2>
          <a href={projectPath(context.workspace.slug, name)}>{displayName ?? name}</a>
        </h2>
        {latest === undefined
          ? <State tone="idle" past>Empty</State>
          : <DeploymentStateMark status={latest.status} />}
      </div>
      <div class="said">
        {productionDeploymentId === null ? <p class="small soft">Not in production yet</p> : (
          <>
            <p class="on-air">
              <SiteLink url={url} class="out clip" />
            </p>
            <DayPlace
              path={projectPath(context.workspace.slug, name, "day")}
              traffic={projectPath(context.workspace.slug, name, "traffic")}
            />
          </>
        )}
      </div>
      {latest === undefined
        ? <p class="foot">No deployments</p>
        : <LatestDeployment latest={latest} now={context.now} />}
    </li>
  );
}

const canChange = ({ workspace }: BoardContext): boolean => workspace.role !== "viewer";

export function overviewPage(context: BoardContext, shown: {
  readonly projects: readonly Shown[];
  readonly cursor: string | null;
  readonly nextCursor: string | null;
}): Response {
  const { workspace } = context;
  const { projects, cursor, nextCursor } = shown;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="projects"
      title={workspace.name}
      lead={
        <>
          <span class="mono">{workspace.slug}</span>
          <span>{`${workspace.role[0]!.toUpperCase()}${workspace.role.slice(1)}`}</span>
        </>
      }
      acts={canChange(context)
        ? <a class="button" href={`/workspaces/${workspace.slug}/new-project`}>New project</a>
        : undefined}
    >
      {projects.length === 0
        ? (
          <section class="card" aria-label="Projects">
            <Empty
              title="Create your first project"
              command={FIRST_COMMANDS}
            >
              In your project folder, run:
            </Empty>
          </section>
        )
        : (
          <ul class="tiles">
            {projects.map((each) => (
              <ProjectTile key={each.project.id} shown={each} context={context} />
            ))}
          </ul>
        )}
      <Pager path={overviewPath(workspace.slug)} cursor={cursor} nextCursor={nextCursor} />
    </WorkspaceFrame>,
    { title: `${workspace.name}: projects` },
  );
}

/** The form for a new project. */
export function newProjectPage(context: BoardContext, shown: FormPage = {}): Response {
  const { slug } = context.workspace;
  const { state = EMPTY } = shown;
  return showBoard(
    <WorkspaceFrame context={context} here="projects" title="New project">
      <Card title="Project details" id="make">
        <div class="body">
          <Trouble state={state} />
          <Form action={`/workspaces/${slug}/new-project`} csrf={context.csrf}>
            <Field
              label="Name"
              name="name"
              state={state}
              autocomplete="off"
              maxlength={40}
              hint="Used in the URL. Lower-case letters, digits and hyphens."
            />
            <Field
              label="Git repository"
              name="gitUrl"
              state={state}
              autocomplete="off"
              optional
              hint="Repository URL, to deploy from git. Leave empty to deploy with the CLI."
            />
            <Field
              label="Production branch"
              name="branch"
              state={state}
              autocomplete="off"
              optional
              initial="main"
            />
            <div>
              <button type="submit">Create project</button>
            </div>
          </Form>
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts("New project", shown),
  );
}
