/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The projects in a workspace, and how to create the first one. */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { showFragment } from "../layout/document.tsx";
import { overviewPath, projectPath } from "../layout/bar.tsx";
import { openBoard } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import type { DeploymentRecord, DeploymentStore } from "../../platform/deployments/mod.ts";
import { dayFigures, DayPlace } from "./day_figures.tsx";
import { bindPictures, type PictureServices } from "./picture_routes.ts";
import type { Project } from "../../contract/projects.ts";
import {
  Ago,
  Commit,
  DeploymentStateMark,
  Pager,
  SiteLink,
  State,
} from "../layout/board_pieces.tsx";
import type { BoardContext } from "../layout/page_context.ts";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { CommandLine, FIRST_COMMANDS, newProjectPath, StartTiles } from "../start/start_tiles.tsx";

interface Shown {
  readonly project: Project;
  /** The newest deployment in any state. */
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
        {latest === undefined ? <State tone="idle" past>Empty</State> : (
          <DeploymentStateMark
            deployment={{
              status: latest.status,
              isPreview: latest.environment !== ENVIRONMENT_PRODUCTION,
              isProduction: latest.id === productionDeploymentId,
            }}
          />
        )}
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

function overviewPage(context: BoardContext, shown: {
  readonly projects: readonly Shown[];
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  /** The platform's URL, for the CLI. */
  readonly url: string;
}): Response {
  const { workspace } = context;
  const { projects, cursor, nextCursor, url } = shown;
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
        ? <a class="button" href={newProjectPath(workspace.slug)}>New project</a>
        : undefined}
    >
      {projects.length === 0
        ? (
          <>
            <h2>{canChange(context) ? "Create your first project" : "No projects yet"}</h2>
            {canChange(context) ? <StartTiles slug={workspace.slug} /> : null}
            <CommandLine url={url} commands={FIRST_COMMANDS} />
          </>
        )
        : (
          <ul class="tiles" id="tiles" data-live="">
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

export interface OverviewServices extends PictureServices {
  readonly deployments: Pick<DeploymentStore, "find" | "list">;
  /** The platform's public origin. */
  readonly publicOrigin: string;
}

/** Number of projects per page. */
const SIZE = 24;

export function bindOverview(bind: PageBinder, services: OverviewServices): void {
  bindPictures(bind, services);
  const open = (visit: PersonVisit) => openBoard(visit, visit.params.slug ?? "", services);

  bind.personal("GET", "/workspaces/:slug/projects", async (visit) => {
    const { context, api } = await open(visit);
    const cursor = visit.query.get("cursor");
    const { items, nextCursor } = await api.call(endpoints.listProjects, {
      query: { limit: SIZE, cursor: cursor ?? undefined },
    });
    const latest = await Promise.all(
      items.map(async ({ id }) => (await services.deployments.list(id, { limit: 1 })).items[0]),
    );
    const projects = items.map((project, index) => ({ project, latest: latest[index] }));
    return overviewPage(context, { projects, cursor, nextCursor, url: services.publicOrigin });
  });

  bind.personal("GET", "/workspaces/:slug/projects/:project/day", async (visit) => {
    const { api } = await open(visit);
    const params = { project: visit.params.project ?? "" };
    const [health, report] = await Promise.all([
      api.call(endpoints.getProjectHealth, { params }),
      api.call(endpoints.getTraffic, {
        params,
        query: { range: "day", environment: "production" },
      }),
    ]);
    return showFragment(dayFigures({ health, report }));
  });
}
