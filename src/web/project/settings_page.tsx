/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The settings of a project, and its end.
 *
 * @module
 */
import { PASSWORD_MAX, PASSWORD_MIN, type PreviewAccess } from "../../contract/previews.ts";
import { FRAMEWORKS } from "../../contract/projects.ts";
import { PROTECTIONS } from "../../lib/protection.ts";
import { Card, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { SelectField } from "../layout/board_pieces.tsx";
import { canChange, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

/** The settings that are text, with their labels and what they mean. */
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

/** The form's value for no particular framework. */
const ANY_FRAMEWORK = "detect";

function EndCard({ parts, state }: { readonly parts: ProjectVisit; readonly state: FormState }) {
  const { project, path, context } = parts;
  return (
    <Card
      title="Delete project"
      id="end"
      lead="This deletes its deployments, domains, variables and databases. It cannot be undone."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={path("settings/delete")} csrf={context.csrf}>
          <Field
            label={`Type ${project.name} to confirm`}
            name="confirm"
            state={state}
            autocomplete="off"
          />
          <button class="danger" type="submit">Delete permanently</button>
        </Form>
      </div>
    </Card>
  );
}

/** Each protection in words. */
const PROTECTION_WORDS: Readonly<Record<PreviewAccess["protection"], string>> = {
  off: "Everyone can visit previews.",
  members: "Only members of this workspace can visit previews.",
  password: "Members, and everyone with the password, can visit previews.",
  all: "Only members can visit previews and production.",
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

export function settingsPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly previews: PreviewAccess;
    /** The form that was refused. */
    readonly of?: "settings" | "previews" | "end";
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
          <Form action={path("settings")} csrf={context.csrf} class="wide">
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
                chosen={settings.values.framework ?? project.framework ?? ANY_FRAMEWORK}
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
      <PreviewsCard parts={parts} previews={previews} state={of === "previews" ? state : EMPTY} />
      {context.workspace.role === "owner"
        ? <EndCard parts={parts} state={of === "end" ? state : EMPTY} />
        : null}
    </>,
  );
}
