/**
 * `/workspaces/{slug}/projects/{project}/domains`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { domainsPage, type ShownRecords } from "./domains_page.tsx";
import { environmentNames } from "./environment_names.ts";
import { cursorOf, openProject, type ProjectVisit } from "./open_project.ts";

const AT = "/workspaces/:slug/projects/:project/domains";

async function recordsOf(
  { api, project }: ProjectVisit,
  domain: string | null,
): Promise<ShownRecords | undefined> {
  if (domain === null) return undefined;
  const params = { project: project.name, domain };
  const answer = await api.call(endpoints.getDomain, { params });
  return { hostname: answer.domain.hostname, ...answer };
}

export function bindDomains(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const { api, project } = parts;
    const params = { project: project.name };
    const cursor = cursorOf(parts);
    const [page, environments, records] = await Promise.all([
      api.call(endpoints.listDomains, {
        params,
        query: cursor === null ? {} : { cursor },
      }),
      environmentNames(parts),
      recordsOf(parts, visit.query.get("show")),
    ]);
    const { items: domains, nextCursor } = page;
    return domainsPage(parts, { ...shown, domains, nextCursor, environments, records });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project, path } = await openProject(visit, services);
    const { hostname = "", environment = "" } = visit.fields;
    try {
      const { domain } = await api.call(endpoints.addDomain, {
        params: { project: project.name },
        body: { hostname, environment },
      });
      return goTo(`${path("domains")}?show=${domain.id}`);
    } catch (error) {
      return show(visit, refused(error, visit.fields));
    }
  });

  bind.personal("POST", `${AT}/verify`, async (visit) => {
    const { api, project, path } = await openProject(visit, services);
    const domain = visit.fields.id ?? "";
    const params = { project: project.name, domain };
    const answer = await api.call(endpoints.verifyDomain, { params });
    const isVerified = answer.domain.status === "verified";
    return goTo(`${path("domains")}?${isVerified ? "done=domain-verified" : `show=${domain}`}`);
  });

  bind.personal("POST", `${AT}/remove`, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    const params = { project: project.name, domain: visit.fields.id ?? "" };
    await api.call(endpoints.deleteDomain, { params });
    return back("domains", "domain-removed");
  });
}
