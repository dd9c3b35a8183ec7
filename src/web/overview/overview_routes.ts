/**
 * `/workspaces/{slug}/projects`: the overview.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { checkFields, refused } from "../layout/form.ts";
import { goTo, showFragment } from "../layout/document.tsx";
import { projectPath } from "../layout/bar.tsx";
import { openBoard } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import type { DeploymentStore } from "../../platform/deployments/mod.ts";
import { dayFigures } from "./day_figures.tsx";
import { bindPictures, type PictureServices } from "./picture_routes.ts";
import { newProjectPage, overviewPage } from "./overview_page.tsx";

export interface OverviewServices extends PictureServices {
  readonly deployments: Pick<DeploymentStore, "find" | "list">;
}

/** Projects on one page. */
const SIZE = 24;

export function bindOverview(bind: PageBinder, services: OverviewServices): void {
  bindPictures(bind, services);
  const open = (visit: PersonVisit) => openBoard(visit, visit.params.slug ?? "", services);

  bind.personal("GET", "/workspaces/:slug/projects", async (visit) => {
    const { context, api } = await open(visit);
    const cursor = visit.query.get("cursor");
    const { items, nextCursor } = await api.call(endpoints.listProjects, {
      query: { limit: SIZE, ...(cursor === null ? {} : { cursor }) },
    });
    const latest = await Promise.all(
      items.map(async ({ id }) => (await services.deployments.list(id, { limit: 1 })).items[0]),
    );
    const projects = items.map((project, index) => ({ project, latest: latest[index] }));
    return overviewPage(context, { projects, cursor, nextCursor });
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

  bind.personal("GET", "/workspaces/:slug/new-project", async (visit) => {
    const { context } = await open(visit);
    return newProjectPage(context);
  });

  bind.personal("POST", "/workspaces/:slug/new-project", async (visit) => {
    const { context, api } = await open(visit);
    const { fields } = visit;
    const { name = "", gitUrl = "", branch = "" } = fields;
    const checked = checkFields(endpoints.createProject.body.pick({ name: true }), fields);
    if (!checked.ok) return newProjectPage(context, { state: checked.state, status: 400 });
    try {
      const project = await api.call(endpoints.createProject, {
        body: {
          name,
          ...(gitUrl === "" ? {} : { gitUrl }),
          ...(branch === "" ? {} : { branch }),
        },
      });
      return goTo(`${projectPath(context.workspace.slug, project.name)}?done=project-made`);
    } catch (error) {
      return newProjectPage(context, refused(error, fields));
    }
  });
}
