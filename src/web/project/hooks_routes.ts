/**
 * `/workspaces/{slug}/projects/{project}/hooks`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { HOOK_SCOPES } from "../../contract/hooks.ts";
import { type FormPage, refused } from "../layout/form.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { hooksPage, type MadeHook } from "./hooks_page.tsx";
import { cursorOf, openProject } from "./open_project.ts";

const AT = "/workspaces/:slug/projects/:project/hooks";

export function bindHooks(bind: PageBinder, services: BoardServices): void {
  const show = async (
    visit: PersonVisit,
    shown: FormPage & { readonly made?: MadeHook } = {},
  ) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items: hooks, nextCursor } = await parts.api.call(endpoints.listHooks, {
      query: { projectId: parts.project.id, ...(cursor === null ? {} : { cursor }) },
    });
    return hooksPage(parts, { ...shown, hooks, nextCursor });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project } = await openProject(visit, services);
    const { name = "", branch = "", scope } = visit.fields;
    try {
      const made = await api.call(endpoints.createHook, {
        body: {
          projectId: project.id,
          name,
          branch,
          scope: HOOK_SCOPES.find((known) => known === scope) ?? "All",
        },
      });
      return await show(visit, { made });
    } catch (error) {
      return show(visit, refused(error, visit.fields));
    }
  });

  bind.personal("POST", `${AT}/regenerate`, async (visit) => {
    const { api } = await openProject(visit, services);
    const params = { hook: visit.fields.id ?? "" };
    return show(visit, { made: await api.call(endpoints.regenerateHook, { params }) });
  });

  bind.personal("POST", `${AT}/delete`, async (visit) => {
    const { api, back } = await openProject(visit, services);
    await api.call(endpoints.deleteHook, { params: { hook: visit.fields.id ?? "" } });
    return back("hooks", "hook-deleted");
  });
}
