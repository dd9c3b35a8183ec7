/** @module `/workspaces/{slug}/projects/{project}/deploy`. */
import { endpoints } from "../../contract/endpoints.ts";
import type { Repository } from "../../contract/repositories.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { goTo } from "../layout/document.tsx";
import { type Fields, refused } from "../layout/form.ts";
import { readGitFields } from "../start/git_fields.tsx";
import type { StartServices } from "../start/start_routes.ts";
import { MAX_UPLOAD_BYTES } from "../start/read_upload.ts";
import { answerUpload } from "../start/upload_routes.ts";
import { readVariables } from "../start/read_variables.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { deployPage, type DeployView } from "./deploy_page.tsx";
import { canChange, openProject, type ProjectVisit } from "./open_project.ts";

const AT = "/workspaces/:slug/projects/:project/deploy";

/** Reads the project's repository, or returns the reason why it cannot be read. */
async function inspect(
  parts: ProjectVisit,
  branch: string,
): Promise<{ readonly repository?: Repository; readonly trouble?: string }> {
  if (!canChange(parts)) return {};
  const { api, project } = parts;
  try {
    const repository = await api.call(endpoints.inspectRepository, {
      params: { project: project.id },
      query: branch === "" ? {} : { branch },
    });
    return { repository };
  } catch (error) {
    // A large repository takes a while to read for the first time, which is not the platform's
    // fault.
    const isAnswer = error instanceof Failure && error.status !== 403 &&
      (error.status < 500 || error.code === "unavailable");
    if (!isAnswer) throw error;
    const [problem] = error.problems ?? [];
    return {
      trouble: problem === undefined ? error.message : `${error.message}. ${problem.message}`,
    };
  }
}

/**
 * Stores the settings for a first deployment. Settings that are left empty are detected
 * automatically.
 */
async function saveSettings({ api, project }: ProjectVisit, fields: Fields): Promise<void> {
  const text = (name: string) => fields[name]?.trim() || null;
  await api.call(endpoints.updateProject, {
    params: { project: project.id },
    body: {
      branch: fields.branch ?? project.branch,
      rootDirectory: text("rootDirectory"),
      buildCommand: text("buildCommand"),
      outputDirectory: text("outputDirectory"),
    },
  });
}

export function bindDeploy(bind: PageBinder, services: StartServices): void {
  const show = async (
    parts: ProjectVisit,
    shown: Omit<DeployView, "repository" | "trouble" | "url"> = {},
  ) => {
    const { visit, project } = parts;
    const branch = visit.fields.branch ?? visit.query.get("branch") ?? "";
    const { repository, trouble } = await inspect(parts, branch);
    return deployPage(parts, {
      ...shown,
      url: services.publicOrigin,
      repository,
      // A project does not need a repository, so a missing one is not a problem.
      trouble: project.gitUrl === null ? undefined : trouble,
    });
  };

  bind.personal("GET", AT, async (visit) => show(await openProject(visit, services)));

  bind.personal("POST", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const { api, project } = parts;
    const { fields } = visit;
    const read = readVariables(fields.variables ?? "");
    if (read.problems.length > 0) {
      const state = { values: fields, problems: { variables: read.problems.join(". ") } };
      return show(parts, { state, status: 400 });
    }
    const params = { project: project.id };
    try {
      if (project.productionDeploymentId === null) await saveSettings(parts, fields);
      for (const [key, value] of read.variables) {
        await api.call(endpoints.setVariable, {
          params: { ...params, key },
          body: { value, category: "secret", scope: "all", changeCategory: true },
        });
      }
      const { branch } = fields;
      const body = branch === undefined || branch === "" ? {} : { branch };
      const { id } = await api.call(endpoints.startBuild, { params, body });
      return goTo(`/deployments/${id}`);
    } catch (error) {
      return show(parts, refused(error, fields));
    }
  });

  bind.personal("POST", `${AT}/files`, async (visit) => {
    const parts = await openProject(visit, services);
    const { api, project, path } = parts;
    return await answerUpload(visit, {
      open: () => Promise.resolve({ api, project, action: path("deploy/files") }),
      refuse: (error) => show(parts, { ...refused(error, visit.fields), of: "files" }),
    });
  }, { maxUpload: MAX_UPLOAD_BYTES });

  bind.personal("POST", `${AT}/credentials`, async (visit) => {
    const parts = await openProject(visit, services);
    const { api, project, path } = parts;
    const { fields } = visit;
    const params = { project: project.id };
    const { gitUrl = "" } = fields;
    try {
      const credentials = readGitFields(fields);
      if (gitUrl !== project.gitUrl) {
        await api.call(endpoints.updateProject, { params, body: { gitUrl } });
      }
      if (credentials !== undefined) {
        await api.call(endpoints.setGitCredentials, { params, body: credentials });
      }
      return goTo(path("deploy"));
    } catch (error) {
      return show(parts, { ...refused(error, fields), of: "credentials" });
    }
  });
}
