/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page that deploys a branch of a project's repository. */
import type { Repository, RepositoryApp } from "../../contract/repositories.ts";
import { Commit, SelectField } from "../layout/board_pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { Card, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { TextAreaField } from "../layout/text_area_field.tsx";
import { TARGETS } from "../start/deploy_files.ts";
import { UploadForm } from "../start/upload_form.tsx";
import { UPLOAD_SCRIPT_PATH } from "../start/upload_script.ts";
import { GitFields } from "../start/git_fields.tsx";
import { CommandLine } from "../start/start_tiles.tsx";
import { canChange, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

export interface DeployView extends FormPage {
  /** The repository; `undefined` if there is none or it cannot be read. */
  readonly repository: Repository | undefined;
  /** Why the repository cannot be read. */
  readonly trouble: string | undefined;
  /** The platform's URL, for the CLI. */
  readonly url: string;
  /** The rejected form, if any. */
  readonly of?: "branch" | "credentials" | "files";
}

/** Returns the app that is selected by default. */
function suggestedApp({ apps }: Repository): RepositoryApp | undefined {
  const [root] = apps;
  return root?.kind === null ? apps[1] ?? root : root;
}

function AppChoices({ repository, state }: {
  readonly repository: Repository;
  readonly state: FormState;
}) {
  const { apps } = repository;
  const chosen = state.values.rootDirectory ?? suggestedApp(repository)?.rootDirectory ?? "";
  return (
    <fieldset class="choices">
      <legend>What to deploy</legend>
      {apps.map(({ rootDirectory, kind, buildCommand }) => (
        <label class="choice" key={rootDirectory ?? ""}>
          <input
            type="radio"
            name="rootDirectory"
            value={rootDirectory ?? ""}
            checked={(rootDirectory ?? "") === chosen}
          />
          <span>
            <b>{rootDirectory ?? "The whole repository"}</b>
            <span class="small soft">
              {[kind ?? "Nothing detected", buildCommand].filter((each) =>
                each !== null
              )
                .join(" · ")}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Shows the fields for settings and variables that a first build may need. */
function FirstFields({ parts, repository, state }: {
  readonly parts: ProjectVisit;
  readonly repository: Repository;
  readonly state: FormState;
}) {
  const { project } = parts;
  return (
    <>
      <AppChoices repository={repository} state={state} />
      <details class="more">
        <summary>Build settings</summary>
        <div class="stack">
          <Field
            label="Build command"
            name="buildCommand"
            state={state}
            autocomplete="off"
            optional
            initial={project.buildCommand ?? ""}
            hint="Leave empty to detect it automatically."
          />
          <Field
            label="Output folder"
            name="outputDirectory"
            state={state}
            autocomplete="off"
            optional
            initial={project.outputDirectory ?? ""}
            hint="Leave empty to detect it automatically."
          />
        </div>
      </details>
      <details class="more" open={state.problems.variables !== undefined}>
        <summary>Environment variables</summary>
        <div class="stack">
          <TextAreaField
            label="Variables"
            name="variables"
            state={state}
            isSecret
            hint="Paste a .env file: NAME=value, one per line. Each is stored as a secret in every environment."
          />
        </div>
      </details>
    </>
  );
}

function BranchCard({ parts, repository, state }: {
  readonly parts: ProjectVisit;
  readonly repository: Repository;
  readonly state: FormState;
}) {
  const { project, path, context } = parts;
  const { branches, branch, commitSha, message } = repository;
  if (branch === null) {
    return (
      <Notice kind="care">
        The repository is empty. Push a commit to it, then reload this page.
      </Notice>
    );
  }
  const isFirst = project.productionDeploymentId === null;
  return (
    <Card
      title="Deploy a branch"
      id="branch-card"
      lead={
        <span class="dots">
          <span>{message}</span>
          <Commit sha={commitSha} />
        </span>
      }
    >
      <div class="body">
        <Trouble state={state} />
        {branches.length < 2 ? null : (
          <form method="get" action={path("deploy")} class="line-form">
            <SelectField label="Branch" name="branch" values={branches} chosen={branch} />
            <button class="quiet" type="submit">Show</button>
          </form>
        )}
        <Form action={path("deploy")} csrf={context.csrf} class="wide" hidden={{ branch }}>
          {isFirst ? <FirstFields parts={parts} repository={repository} state={state} /> : null}
          <div>
            <button type="submit">
              <span>
                Deploy <span class="mono">{branch}</span>
                {branch === project.branch || isFirst ? " to production" : " as a preview"}
              </span>
            </button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function FilesCard({ parts, state }: {
  readonly parts: ProjectVisit;
  readonly state: FormState;
}) {
  const { path, context } = parts;
  return (
    <Card
      title="Upload files"
      id="upload"
      lead="Upload all of the site's or project's files every time."
    >
      <div class="body">
        <Trouble state={state} />
        <UploadForm
          action={path("deploy/files")}
          csrf={context.csrf}
          slug={context.workspace.slug}
          state={state}
        >
          <SelectField
            label="Deploy to"
            name="target"
            values={TARGETS}
            chosen={state.values.target ?? "production"}
          />
        </UploadForm>
      </div>
    </Card>
  );
}

function CredentialsCard({ parts, state }: {
  readonly parts: ProjectVisit;
  readonly state: FormState;
}) {
  const { project, path, context } = parts;
  return (
    <Card
      title="Connect the repository"
      id="credentials"
      lead={project.gitCredentials === null
        ? "No credentials are stored."
        : "Credentials are stored. New ones replace them."}
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={path("deploy/credentials")} csrf={context.csrf}>
          <Field
            label="URL"
            name="gitUrl"
            state={state}
            autocomplete="off"
            initial={project.gitUrl ?? ""}
          />
          <GitFields state={state} />
          <div>
            <button type="submit">Try again</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function deployPage(parts: ProjectVisit, shown: DeployView): Response {
  const { repository, trouble, url, of = "branch", state = EMPTY } = shown;
  const { project } = parts;
  return projectPage(
    parts,
    { ...shown, here: "", about: "deploy", scripts: [UPLOAD_SCRIPT_PATH] },
    !canChange(parts) ? <Notice kind="care">Viewers cannot deploy.</Notice> : (
      <>
        {trouble === undefined ? null : <Notice kind="bad">{trouble}</Notice>}
        {repository === undefined ? null : (
          <BranchCard
            parts={parts}
            repository={repository}
            state={of === "branch" ? state : EMPTY}
          />
        )}
        {project.gitUrl === null
          ? <FilesCard parts={parts} state={of === "files" ? state : EMPTY} />
          : null}
        {project.gitUrl === null
          ? (
            <CommandLine
              url={url}
              commands={["svc login", `svc link --project-id ${project.name}`, "svc deploy --prod"]}
            />
          )
          : null}
        {project.gitUrl === null || trouble === undefined
          ? null
          : <CredentialsCard parts={parts} state={of === "credentials" ? state : EMPTY} />}
      </>
    ),
  );
}
