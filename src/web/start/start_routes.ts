/** @module `/workspaces/{slug}/new-project`: the ways to create the first deployment. */
import { endpoints } from "../../contract/endpoints.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { checkFields, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { projectPath } from "../layout/bar.tsx";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { readGitFields } from "./git_fields.tsx";
import { importPage } from "./import_page.tsx";
import { repositoryName } from "./repository_name.ts";
import { deployFiles } from "./deploy_files.ts";
import { templatePage } from "./template_page.tsx";
import { TEMPLATES } from "./templates.ts";
import { MAX_UPLOAD_BYTES } from "./read_upload.ts";
import { uploadPage } from "./upload_page.tsx";
import { answerUpload } from "./upload_routes.ts";
import { newProjectPage } from "./new_project_page.tsx";

export interface StartServices extends BoardServices {
  /** The platform's public origin. */
  readonly publicOrigin: string;
}

export function bindStart(bind: PageBinder, services: StartServices): void {
  const { publicOrigin: url } = services;
  const open = (visit: PersonVisit) => openBoard(visit, visit.params.slug ?? "", services);

  bind.personal("GET", "/workspaces/:slug/new-project", async (visit) => {
    const { context } = await open(visit);
    return newProjectPage(context, { url });
  });

  bind.personal("POST", "/workspaces/:slug/new-project", async (visit) => {
    const { context, api } = await open(visit);
    const { fields } = visit;
    const { name = "", branch = "" } = fields;
    const gitUrl = fields.gitUrl?.trim() ?? "";
    const checked = checkFields(endpoints.createProject.body.pick({ name: true }), fields);
    if (!checked.ok) return newProjectPage(context, { url, state: checked.state, status: 400 });
    try {
      const project = await api.call(endpoints.createProject, {
        body: {
          name,
          ...(gitUrl === "" ? {} : { gitUrl, verifyRepository: true }),
          ...(branch === "" ? {} : { branch }),
        },
      });
      return goTo(`${projectPath(context.workspace.slug, project.name)}?done=project-made`);
    } catch (error) {
      return newProjectPage(context, { url, ...refused(error, fields) });
    }
  });

  bind.personal("GET", "/workspaces/:slug/new-project/git", async (visit) => {
    const { context } = await open(visit);
    return importPage(context);
  });

  bind.personal("POST", "/workspaces/:slug/new-project/git", async (visit) => {
    const { context, api } = await open(visit);
    const { fields } = visit;
    const gitUrl = fields.gitUrl?.trim() ?? "";
    const name = fields.name?.trim() || repositoryName(gitUrl);
    const checked = checkFields(endpoints.createProject.body.pick({ name: true, gitUrl: true }), {
      name,
      gitUrl,
    });
    if (!checked.ok) {
      const state = { ...checked.state, values: fields };
      return importPage(context, { state, status: 400 });
    }
    try {
      const credentials = readGitFields(fields);
      const project = await api.call(endpoints.createProject, {
        body: { name, gitUrl, credentials, verifyRepository: true },
      });
      return goTo(projectPath(context.workspace.slug, project.name, "deploy"));
    } catch (error) {
      return importPage(context, refused(error, fields));
    }
  });

  bind.personal("GET", "/workspaces/:slug/new-project/upload", async (visit) => {
    const { context } = await open(visit);
    return uploadPage(context);
  });

  bind.personal("POST", "/workspaces/:slug/new-project/upload", async (visit) => {
    const { context, api } = await open(visit);
    const { fields } = visit;
    const checked = checkFields(endpoints.createProject.body.pick({ name: true }), fields);
    return await answerUpload(visit, {
      async open() {
        if (!checked.ok) {
          throw new Failure("invalid_request", `Project name: ${checked.state.problems.name}`);
        }
        const { name } = checked.value;
        const project = await api.call(endpoints.createProject, { body: { name } });
        return { api, project, action: projectPath(context.workspace.slug, name, "deploy/files") };
      },
      refuse: (error) => uploadPage(context, refused(error, fields)),
    });
  }, { maxUpload: MAX_UPLOAD_BYTES });

  bind.personal("GET", "/workspaces/:slug/new-project/template", async (visit) => {
    const { context } = await open(visit);
    return templatePage(context);
  });

  bind.personal("POST", "/workspaces/:slug/new-project/template", async (visit) => {
    const { context, api } = await open(visit);
    const { fields } = visit;
    const checked = checkFields(endpoints.createProject.body.pick({ name: true }), fields);
    if (!checked.ok) {
      const state = { ...checked.state, values: fields };
      return templatePage(context, { state, status: 400 });
    }
    const template = TEMPLATES.find(({ id }) => id === fields.template) ?? TEMPLATES[0]!;
    const contents = Object.entries(template.files).map(([path, text]) => {
      const content = new TextEncoder().encode(text);
      return { path, content, sha256: sha256Hex(content), size: content.byteLength };
    });
    try {
      const { name } = checked.value;
      const project = await api.call(endpoints.createProject, { body: { name } });
      const answer = await deployFiles(api, project, {
        files: contents,
        contents,
        target: "production",
        message: `Start from the template ${template.name}`,
      });
      const { slug } = context.workspace;
      return goTo(
        answer.type === "deployed"
          ? `/deployments/${answer.id}`
          : projectPath(slug, name, "deploy"),
      );
    } catch (error) {
      return templatePage(context, refused(error, fields));
    }
  });
}
