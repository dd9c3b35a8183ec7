/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { openProject, type ProjectVisit } from "./open_project.ts";
import type { Usage } from "../../contract/usage.ts";
import { UsageCard } from "../layout/usage.tsx";
import { projectPage } from "./project_page.tsx";

function projectUsagePage(parts: ProjectVisit, items: readonly Usage[]): Response {
  return projectPage(
    parts,
    { here: "usage", about: "usage" },
    <UsageCard items={items} command={`svc usage --project-id ${parts.project.name}`} />,
  );
}

export function bindUsage(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/usage", async (visit) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const { items } = await parts.api.call(endpoints.listProjectUsage, { params });
    return projectUsagePage(parts, items);
  });
}
