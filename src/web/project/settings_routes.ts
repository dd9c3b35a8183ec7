/**
 * `/workspaces/{slug}/projects/{project}/settings`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { FRAMEWORKS } from "../../contract/projects.ts";
import { goTo } from "../layout/document.tsx";
import { overviewPath } from "../layout/bar.tsx";
import { refused } from "../layout/form.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { openProject } from "./open_project.ts";
import { settingsPage } from "./settings_page.tsx";

const AT = "/workspaces/:slug/projects/:project/settings";

export function bindSettings(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", AT, async (visit) => settingsPage(await openProject(visit, services)));

  bind.personal("POST", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const { fields } = visit;
    // An empty field stands for a setting that is not set.
    const text = (name: string) => fields[name]?.trim() || null;
    try {
      await parts.api.call(endpoints.updateProject, {
        params: { project: parts.project.name },
        body: {
          displayName: text("displayName"),
          gitUrl: text("gitUrl"),
          branch: text("branch") ?? parts.project.branch,
          framework: FRAMEWORKS.find((name) => name === fields.framework) ?? null,
          installCommand: text("installCommand"),
          buildCommand: text("buildCommand"),
          outputDirectory: text("outputDirectory"),
          rootDirectory: text("rootDirectory"),
          nodeVersion: text("nodeVersion"),
        },
      });
      return parts.back("settings", "settings-saved");
    } catch (error) {
      return settingsPage(parts, refused(error, fields));
    }
  });

  bind.personal("POST", `${AT}/delete`, async (visit) => {
    const parts = await openProject(visit, services);
    const { name } = parts.project;
    if (visit.fields.confirm !== name) {
      const problems = { confirm: `Must be "${name}"` };
      const state = { values: visit.fields, problems };
      return settingsPage(parts, { of: "end", state, status: 400 });
    }
    await parts.api.call(endpoints.deleteProject, { params: { project: name } });
    return goTo(`${overviewPath(parts.context.workspace.slug)}?done=project-deleted`);
  });
}
