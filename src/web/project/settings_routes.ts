/**
 * `/workspaces/{slug}/projects/{project}/settings`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { FRAMEWORKS } from "../../contract/projects.ts";
import { PROTECTIONS } from "../../lib/protection.ts";
import { goTo } from "../layout/document.tsx";
import { overviewPath } from "../layout/bar.tsx";
import { refused } from "../layout/form.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { openProject, type ProjectVisit } from "./open_project.ts";
import { settingsPage } from "./settings_page.tsx";

const AT = "/workspaces/:slug/projects/:project/settings";

export function bindSettings(bind: PageBinder, services: BoardServices): void {
  const show = async (
    parts: ProjectVisit,
    shown: Omit<Parameters<typeof settingsPage>[1], "previews"> = {},
  ) => {
    const params = { project: parts.project.name };
    const previews = await parts.api.call(endpoints.getPreviewAccess, { params });
    return settingsPage(parts, { ...shown, previews });
  };

  bind.personal("GET", AT, async (visit) => show(await openProject(visit, services)));

  bind.personal("POST", `${AT}/previews`, async (visit) => {
    const parts = await openProject(visit, services);
    const { protection, password = "" } = visit.fields;
    try {
      await parts.api.call(endpoints.updatePreviewAccess, {
        params: { project: parts.project.name },
        body: {
          protection: PROTECTIONS.find((name) => name === protection),
          password: password === "" ? undefined : password,
        },
      });
      return parts.back("settings", "previews-saved");
    } catch (error) {
      return show(parts, { ...refused(error, visit.fields), of: "previews" });
    }
  });

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
      return show(parts, refused(error, fields));
    }
  });

  bind.personal("POST", `${AT}/delete`, async (visit) => {
    const parts = await openProject(visit, services);
    const { name } = parts.project;
    if (visit.fields.confirm !== name) {
      const problems = { confirm: `Must be "${name}"` };
      const state = { values: visit.fields, problems };
      return show(parts, { of: "end", state, status: 400 });
    }
    await parts.api.call(endpoints.deleteProject, { params: { project: name } });
    return goTo(`${overviewPath(parts.context.workspace.slug)}?done=project-deleted`);
  });
}
