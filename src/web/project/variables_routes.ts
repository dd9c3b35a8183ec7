/**
 * `/workspaces/{slug}/projects/{project}/variables`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { VARIABLE_CATEGORIES } from "../../contract/variables.ts";
import { type FormPage, refused } from "../layout/form.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { environmentNames } from "./environment_names.ts";
import { cursorOf, openProject } from "./open_project.ts";
import { variablesPage } from "./variables_page.tsx";

const AT = "/workspaces/:slug/projects/:project/variables";
/** Variables on one page. */
const SIZE = 50;

export function bindVariables(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const [page, environments] = await Promise.all([
      parts.api.call(endpoints.listVariables, {
        params: { project: parts.project.name },
        query: { limit: SIZE, ...(cursor === null ? {} : { cursor }) },
      }),
      environmentNames(parts),
    ]);
    const { items: variables, nextCursor } = page;
    return variablesPage(parts, { ...shown, variables, nextCursor, environments });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    const { key = "", value = "", scope = "", ...rest } = visit.fields;
    const category = VARIABLE_CATEGORIES.find((name) => name === rest.category) ?? "secret";
    try {
      await api.call(endpoints.setVariable, {
        params: { project: project.name, key },
        // Browsers send the ends of lines as CR LF (HTML, 4.10.21.5).
        body: { value: value.replaceAll("\r\n", "\n"), category, scope },
      });
      return back("variables", "variable-set");
    } catch (error) {
      return show(visit, refused(error, { key, category, scope }));
    }
  });

  bind.personal("POST", `${AT}/remove`, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    const params = { project: project.name, key: visit.fields.key ?? "" };
    await api.call(endpoints.deleteVariable, { params });
    return back("variables", "variable-removed");
  });
}
