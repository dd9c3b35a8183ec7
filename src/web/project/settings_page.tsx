/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's settings, and the form to delete it. */
import { endpoints } from "../../contract/endpoints.ts";
import { FRAMEWORKS, type Project } from "../../contract/projects.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { PROTECTIONS } from "../../lib/protection.ts";
import { goTo } from "../layout/document.tsx";
import { overviewPath } from "../layout/bar.tsx";
import { EMPTY, type FormPage, type FormState, refused } from "../layout/form.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { askOnProject, canChange, openProject, type ProjectVisit } from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { PASSWORD_MAX, PASSWORD_MIN, type PreviewAccess } from "../../contract/previews.ts";
import { Card, EndButton, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { SelectField } from "../layout/board_pieces.tsx";
import { projectPage } from "./project_page.tsx";

/** The text settings, with their labels and descriptions. */
const TEXTS = [
  ["displayName", "Display name", "Shown instead of the project name."],
  ["gitUrl", "Git repository", "Repository URL, without a password."],
  ["branch", "Production branch", "Other branches deploy as previews."],
  ["rootDirectory", "Root directory", "Path in the repository. Leave empty for its root."],
  ["installCommand", "Install command", "Leave empty to detect it automatically."],
  ["buildCommand", "Build command", "Leave empty to detect it automatically."],
  ["outputDirectory", "Output folder", "Leave empty to detect it automatically."],
  ["nodeVersion", "Node version", "For example 24. Leave empty to use the platform's version."],
] as const;

/** The form's value if no framework is selected. */
const ANY_FRAMEWORK = "detect";

function EndCard({ parts }: { readonly parts: ProjectVisit }) {
  const { project, path, context } = parts;
  return (
    <Card
      title="Delete project"
      id="end"
      lead="This deletes its deployments, domains, variables and databases. It cannot be undone."
    >
      <div class="body">
        <EndButton
          action={path("settings/delete")}
          csrf={context.csrf}
          word="Delete"
          what={project.name}
        />
      </div>
    </Card>
  );
}

/**
 * Identifies the state of the settings in a form, because they may change before the form is
 * submitted.
 */
const versionOf = (project: Project): string =>
  sha256Hex(JSON.stringify([project.framework, ...TEXTS.map(([name]) => project[name])])).slice(
    0,
    16,
  );

/** Descriptions of the protections. */
const PROTECTION_WORDS: Readonly<Record<PreviewAccess["protection"], string>> = {
  off: "Anyone can visit previews.",
  members: "Only members of this workspace can visit previews.",
  password: "Members and anyone with the password can visit previews.",
  all: "Only members of this workspace can visit previews and production.",
};

const PROTECTION_NAMES: Readonly<Record<PreviewAccess["protection"], string>> = {
  off: "Anyone",
  members: "Members only",
  password: "Members and people with the password",
  all: "Members only, including production",
};

function PreviewsCard({ parts, previews, state }: {
  readonly parts: ProjectVisit;
  readonly previews: PreviewAccess;
  readonly state: FormState;
}) {
  const { path, context } = parts;
  return (
    <Card
      title="Protection"
      id="previews"
      lead={`${PROTECTION_WORDS[previews.protection]} Settings in svc.toml override this.`}
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={path("settings/previews")} csrf={context.csrf} class="wide">
          <div class="fields-two">
            <SelectField
              label="Who can visit"
              name="protection"
              values={PROTECTIONS}
              words={PROTECTION_NAMES}
              chosen={state.values.protection ?? previews.protection}
            />
            <Field
              label="Password"
              name="password"
              type="password"
              state={state}
              autocomplete="new-password"
              minlength={PASSWORD_MIN}
              maxlength={PASSWORD_MAX}
              optional
              hint={previews.hasPassword
                ? "A password is set. Leave empty to keep it."
                : "No password is set."}
            />
          </div>
          {canChange(parts)
            ? (
              <div>
                <button type="submit">Save</button>
              </div>
            )
            : null}
        </Form>
      </div>
    </Card>
  );
}

function settingsPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly previews: PreviewAccess;
    /** The rejected form, if any. */
    readonly of?: "settings" | "previews";
  },
): Response {
  const { project, path, context } = parts;
  const { of = "settings", state = EMPTY, previews } = shown;
  const settings = of === "settings" ? state : EMPTY;
  return projectPage(
    parts,
    { ...shown, here: "settings", about: "settings" },
    <>
      <Card
        title="Build settings"
        id="settings"
        lead="Settings in svc.toml override these."
      >
        <div class="body">
          {canChange(parts) ? null : <Notice kind="care">Viewers cannot change settings.</Notice>}
          <Trouble state={settings} />
          <Form
            action={path("settings")}
            csrf={context.csrf}
            class="wide"
            hidden={{ seen: versionOf(project) }}
          >
            <div class="fields-two">
              {TEXTS.map(([name, label, hint]) => (
                <Field
                  key={name}
                  label={label}
                  name={name}
                  state={settings}
                  autocomplete="off"
                  initial={project[name] ?? ""}
                  hint={hint}
                  optional={name !== "branch"}
                />
              ))}
              <SelectField
                label="Framework"
                name="framework"
                values={[ANY_FRAMEWORK, ...FRAMEWORKS]}
                words={{ [ANY_FRAMEWORK]: "Detect automatically" }}
                chosen={settings.values.framework ?? project.framework ?? ANY_FRAMEWORK}
              />
            </div>
            <p class="check">
              <input
                id="autoRedeploy"
                name="autoRedeploy"
                type="checkbox"
                checked={project.autoRedeploy}
                autocomplete="off"
              />
              <label for="autoRedeploy">
                Redeploy when a URL referenced by variables changes
              </label>
            </p>
            {canChange(parts)
              ? (
                <div>
                  <button type="submit">Save</button>
                </div>
              )
              : null}
          </Form>
        </div>
      </Card>
      <PreviewsCard parts={parts} previews={previews} state={of === "previews" ? state : EMPTY} />
      {context.workspace.role === "owner" ? <EndCard parts={parts} /> : null}
    </>,
  );
}

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
    // An empty field unsets the setting.
    const text = (name: string) => fields[name]?.trim() || null;
    if (fields.seen !== undefined && fields.seen !== versionOf(parts.project)) {
      const failure =
        "Someone changed these settings after you opened the page. Save again to replace them with yours.";
      return show(parts, { state: { values: fields, problems: {}, failure }, status: 409 });
    }
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
          autoRedeploy: fields.autoRedeploy !== undefined,
        },
      });
      return parts.back("settings", "settings-saved");
    } catch (error) {
      return show(parts, refused(error, fields));
    }
  });

  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, ({ project }) => QUESTIONS.project(project.name)),
    run: async (visit) => {
      const { api, project, context } = await openProject(visit, services);
      await api.call(endpoints.deleteProject, { params: { project: project.name } });
      return goTo(`${overviewPath(context.workspace.slug)}?done=project-deleted`);
    },
  });
}
