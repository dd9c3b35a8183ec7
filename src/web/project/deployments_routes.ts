/**
 * `/workspaces/{slug}/projects/{project}`: the deployments.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { deploymentsPage } from "./deployments_page.tsx";
import { cursorOf, openProject } from "./open_project.ts";

/** Deployments on one page. */
const SIZE = 20;

export function bindDeployments(bind: PageBinder, services: BoardServices): void {
  const at = "/workspaces/:slug/projects/:project";

  bind.personal("GET", at, async (visit) => {
    const parts = await openProject(visit, services);
    const { api, project } = parts;
    const params = { project: project.name };
    const cursor = cursorOf(parts);
    const { productionDeploymentId } = project;
    const [page, health, production] = await Promise.all([
      api.call(endpoints.listDeployments, {
        params,
        query: { limit: SIZE, ...(cursor === null ? {} : { cursor }) },
      }),
      api.call(endpoints.getProjectHealth, { params }),
      productionDeploymentId === null
        ? undefined
        : api.call(endpoints.getDeployment, { params: { deployment: productionDeploymentId } }),
    ]);
    return deploymentsPage(parts, {
      deployments: page.items,
      nextCursor: page.nextCursor,
      production,
      health,
    });
  });

  bind.personal("POST", `${at}/rollback`, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    await api.call(endpoints.rollback, { params: { project: project.name }, body: {} });
    return back("", "rolled-back");
  });
}
