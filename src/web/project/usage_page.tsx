/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The usage and limits of a project.
 *
 * @module
 */
import type { Usage } from "../../contract/usage.ts";
import { UsageCard } from "../layout/usage.tsx";
import type { ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

export function projectUsagePage(parts: ProjectVisit, items: readonly Usage[]): Response {
  return projectPage(
    parts,
    { here: "usage", about: "usage" },
    <UsageCard items={items} command={`svc usage --project-id ${parts.project.name}`} />,
  );
}
