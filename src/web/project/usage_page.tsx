/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * What a project uses of what it may have.
 *
 * @module
 */
import type { Usage } from "../../contract/mod.ts";
import { UsageCard } from "../layout/mod.ts";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

export function projectUsagePage(parts: ProjectVisit, items: readonly Usage[]): Response {
  return projectPage(
    parts,
    { here: "usage", about: "usage" },
    <UsageCard items={items} command={`svc usage --project-id ${parts.project.name}`} />,
  );
}
