/** @module `/workspaces/{slug}/projects/{project}`: the deployments. */
import { type DeploymentFilter, deploymentFilter } from "../../contract/deployments.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { deploymentsPage } from "./deployments_page.tsx";
import { environmentNames } from "./environment_names.ts";
import { askOnProject, cursorOf, openProject } from "./open_project.ts";
import { productionQuestion } from "../asking/production_question.tsx";
import { goTo } from "../layout/document.tsx";

/** Number of deployments per page. */
const SIZE = 20;

/** Reads the filter from the URL. Ignores invalid values. */
function filterOf(query: URLSearchParams): DeploymentFilter {
  const given = Object.fromEntries(
    Object.keys(deploymentFilter.shape).flatMap((name) => {
      const value = query.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  return deploymentFilter.safeParse(given).data ?? {};
}

export function bindDeployments(bind: PageBinder, services: BoardServices): void {
  const at = "/workspaces/:slug/projects/:project";

  bind.personal("GET", at, async (visit) => {
    const parts = await openProject(visit, services);
    const { api, project } = parts;
    const params = { project: project.name };
    const cursor = cursorOf(parts);
    const filter = filterOf(visit.query);
    const { productionDeploymentId } = project;
    const [page, environments, health, production] = await Promise.all([
      api.call(endpoints.listDeployments, {
        params,
        query: { limit: SIZE, ...filter, cursor: cursor ?? undefined },
      }),
      environmentNames(parts),
      api.call(endpoints.getProjectHealth, { params }),
      productionDeploymentId === null
        ? undefined
        : api.call(endpoints.getDeployment, { params: { deployment: productionDeploymentId } }),
    ]);
    return deploymentsPage(parts, {
      deployments: page.items,
      nextCursor: page.nextCursor,
      filter,
      environments,
      production,
      health,
    });
  });

  // People may guess this URL from other pages' URLs.
  bind.personal("GET", `${at}/deployments`, async (visit) => {
    const { path } = await openProject(visit, services);
    return goTo(`${path()}${visit.query.size === 0 ? "" : `?${visit.query}`}`);
  });

  bind.asking(`${at}/rollback`, {
    ask: askOnProject(services, ({ api, project, context }) =>
      productionQuestion(api, {
        project,
        to: undefined,
        now: context.now,
        word: "Roll back",
      })),
    run: async (visit) => {
      const { api, project, path } = await openProject(visit, services);
      const params = { project: project.name };
      const { rolledBack } = await api.call(endpoints.rollback, { params, body: {} });
      return goTo(`${path()}?done=rolled-back&undo=${rolledBack.id}`);
    },
  });
}
