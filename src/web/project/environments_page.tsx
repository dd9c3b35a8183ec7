/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's environments, and the variables for their next deployments. */
import type { Deployment } from "../../contract/deployments.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import type { Environment } from "../../contract/environments.ts";
import { SCOPE_ALL, type Variable, VARIABLE_CATEGORIES } from "../../contract/variables.ts";
import {
  Ago,
  Branch,
  Commit,
  Empty,
  Pager,
  SelectField,
  SiteLink,
  State,
} from "../layout/board_pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { Card, EndButton, Field, Form, Trouble } from "../layout/pieces.tsx";
import { TextAreaField } from "../layout/text_area_field.tsx";
import { canChange, type ProjectVisit } from "./open_project.ts";
import { type PastePlan, Plan } from "./paste_plan.tsx";
import { projectPage } from "./project_page.tsx";

interface ShownEnvironment extends Environment {
  /** The environment's deployments, newest first. For `preview`, there is one per branch. */
  readonly deployments: readonly Deployment[];
}

export interface EnvironmentsView {
  readonly environments: readonly ShownEnvironment[];
  /** Name of the environment whose variables are shown. */
  readonly chosen: string;
  readonly variables: readonly Variable[];
  /** The name of the last variable before this part of the list; `null` for the first part. */
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly refused?: "create" | "set" | "paste";
  readonly plan?: PastePlan;
}

type EnvironmentsPageView = FormPage & EnvironmentsView;

const stateOf = (
  { refused, state = EMPTY }: EnvironmentsPageView,
  form: EnvironmentsPageView["refused"],
): FormState => refused === form ? state : EMPTY;

function LiveDeployment({ parts, deployment }: {
  readonly parts: ProjectVisit;
  readonly deployment: Deployment;
}) {
  const { id, branch, commitSha, url, environment, liveAt, createdAt, variablesChanged } =
    deployment;
  const { context: { csrf, now } } = parts;
  return (
    <>
      <span class="dots soft">
        <a href={`/deployments/${id}`}>
          <Branch name={branch} /> <Commit sha={commitSha} />
          <span class="hush">{`: deployment in ${environment}`}</span>
        </a>
        {environment === ENVIRONMENT_PREVIEW ? <SiteLink url={url} /> : null}
        <span>
          live <Ago at={liveAt ?? createdAt} now={now} />
        </span>
      </span>
      {variablesChanged && canChange(parts)
        ? (
          <Form action={`/deployments/${id}/redeploy`} csrf={csrf} class="row" asks>
            <span class="soft small">Its variables have changed.</span>
            <button class="quiet little" type="submit">
              Redeploy now to apply<span class="hush">
                {` them to ${branch} in ${environment}`}
              </span>
            </button>
          </Form>
        )
        : null}
    </>
  );
}

function EnvironmentRow({ parts, environment, isChosen }: {
  readonly parts: ProjectVisit;
  readonly environment: ShownEnvironment;
  readonly isChosen: boolean;
}) {
  const { name, url, deployments, isBuiltIn } = environment;
  const { path, context } = parts;
  return (
    <li>
      <State tone={deployments.length > 0 ? "good" : "idle"}>
        {deployments.length > 0 ? "Live" : "Nothing live"}
      </State>
      <div class="main">
        <span class="dots">
          <a
            href={`${path("environments")}?environment=${name}#variables`}
            aria-current={isChosen ? "true" : undefined}
          >
            {name}
          </a>
          {url === null ? null : <SiteLink url={url} />}
        </span>
        {deployments.map((each) => (
          <LiveDeployment
            key={each.id}
            parts={parts}
            deployment={each}
          />
        ))}
      </div>
      {isBuiltIn || !canChange(parts) ? null : (
        <div class="acts">
          <EndButton
            action={path("environments/delete")}
            csrf={context.csrf}
            word="Delete"
            what={name}
            hidden={{ environment: name }}
          />
        </div>
      )}
    </li>
  );
}

function CreateForm({ parts, state }: { readonly parts: ProjectVisit; readonly state: FormState }) {
  return (
    <Card
      title="Create an environment"
      id="create"
      lead={
        <span>
          Deploy to it with <code class="unbroken">svc deploy --environment</code>.
        </span>
      }
    >
      <div class="body">
        <Trouble state={state} />
        <Form
          action={parts.path("environments")}
          csrf={parts.context.csrf}
          class="line-form"
        >
          <Field
            label="Environment name"
            name="name"
            state={state}
            autocomplete="off"
            maxlength={20}
          />
          <button type="submit">Create environment</button>
        </Form>
      </div>
    </Card>
  );
}

function VariableRow({ parts, variable, environment }: {
  readonly parts: ProjectVisit;
  readonly variable: Variable;
  readonly environment: string;
}) {
  const { key, category, scope, value, updatedAt } = variable;
  const edit = new URLSearchParams({ environment, edit: key });
  return (
    <li>
      <div class="main">
        <span class="mono">{key}</span>
        <span class="mono soft">
          {category === "secret" ? "•••••• secret" : value === "" ? "empty" : value}
        </span>
      </div>
      <div class="meta end">
        <span>{scope === SCOPE_ALL ? "all environments" : `${scope} only`}</span>
        <Ago at={updatedAt} now={parts.context.now} />
        {canChange(parts)
          ? (
            <div class="acts">
              <a class="button quiet little" href={`${parts.path("environments")}?${edit}#set`}>
                Edit<span class="hush">{` ${key}`}</span>
              </a>
              <EndButton
                action={parts.path("environments/remove")}
                csrf={parts.context.csrf}
                word="Remove"
                what={`${key} from ${scope === SCOPE_ALL ? "all environments" : scope}`}
                hidden={{ key, scope, environment }}
              />
            </div>
          )
          : null}
      </div>
    </li>
  );
}

function Box({ name, label, state }: {
  readonly name: string;
  readonly label: string;
  readonly state: FormState;
}) {
  return (
    <p class="check">
      <input
        id={name}
        type="checkbox"
        name={name}
        value="yes"
        checked={state.values[name] === "yes"}
      />
      <label for={name}>{label}</label>
    </p>
  );
}

function KindAndScope({ form, label, chosen, state }: {
  readonly form: "set" | "paste";
  readonly label: string;
  readonly chosen: string;
  readonly state: FormState;
}) {
  const { values } = state;
  return (
    <>
      <SelectField
        label={label}
        name="category"
        id={`${form}-category`}
        values={VARIABLE_CATEGORIES}
        chosen={values.category ?? "secret"}
      />
      <SelectField
        label="Environments"
        name="scope"
        id={`${form}-scope`}
        values={[chosen, SCOPE_ALL]}
        words={{ [chosen]: `${chosen} only`, [SCOPE_ALL]: "all environments" }}
        chosen={values.scope ?? chosen}
      />
    </>
  );
}

function SetForm(
  { parts, shown }: { readonly parts: ProjectVisit; readonly shown: EnvironmentsPageView },
) {
  const { chosen } = shown;
  const state = stateOf(shown, "set");
  const isEdit = state.values.key !== undefined;
  return (
    <Card
      title={isEdit ? `Change ${state.values.key}` : `Set a variable in ${chosen}`}
      id="set"
      lead="It takes effect with the next deployment."
    >
      <div class="body">
        <Trouble state={state} />
        <Form
          action={parts.path("environments/set")}
          csrf={parts.context.csrf}
          class="wide"
          hidden={{ environment: chosen }}
        >
          <div class="line-form">
            <Field label="Name" name="key" state={state} autocomplete="off" maxlength={128} />
            <KindAndScope form="set" label="Kind" chosen={chosen} state={state} />
          </div>
          <TextAreaField
            label="Value"
            name="value"
            state={state}
            hint="Secrets are encrypted and can't be viewed again."
            isSecret={state.values.category !== "plain"}
          />
          <details class="more" open={state.failure !== undefined}>
            <summary>Replace an existing value</summary>
            <Box
              name="changeCategory"
              label="Allow a change between plain and secret (--change-category)"
              state={state}
            />
            <Box
              name="replaceScope"
              label="Remove its values in other environments (--replace-scope)"
              state={state}
            />
          </details>
          <div>
            <button type="submit">Set variable</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function PasteForm(
  { parts, shown }: { readonly parts: ProjectVisit; readonly shown: EnvironmentsPageView },
) {
  const { chosen, plan } = shown;
  const state = stateOf(shown, "paste");
  return (
    <Card
      title="Paste a dotenv file"
      id="paste"
      lead={`Sets all its variables in ${chosen} or everywhere. Other variables don't change.`}
    >
      <div class="body">
        <Trouble state={state} />
        {plan === undefined ? null : <Plan plan={plan} />}
        <Form
          action={`${parts.path("environments/paste")}#paste`}
          csrf={parts.context.csrf}
          class="wide"
          hidden={{ environment: chosen }}
        >
          <TextAreaField
            label="Variables"
            name="dotenv"
            state={state}
            hint="One NAME=value per line. Quotes, comments and export work as in a .env file."
          />
          <div class="line-form">
            <KindAndScope
              form="paste"
              label="Store all as"
              chosen={chosen}
              state={state}
            />
          </div>
          <div class="row">
            <button class="quiet" type="submit" name="act" value="preview">Preview</button>
            <button type="submit" name="act" value="set">Set all</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function environmentsPage(parts: ProjectVisit, shown: EnvironmentsPageView): Response {
  const { environments, chosen, variables } = shown;
  const mayChange = canChange(parts);
  return projectPage(
    parts,
    { ...shown, here: "environments", about: "environments and variables" },
    <>
      <Card
        title="Environments"
        id="environments"
        lead="Each has its own host and variables. Choose one to see its variables below."
      >
        <ol class="rows">
          {environments.map((each) => (
            <EnvironmentRow
              key={each.id}
              parts={parts}
              environment={each}
              isChosen={each.name === chosen}
            />
          ))}
        </ol>
      </Card>
      <Card
        title={`Variables in ${chosen}`}
        id="variables"
        lead="The next deployment gets these. Secrets are hidden."
      >
        {variables.length === 0
          ? (
            <Empty
              title="No variables yet"
              command={`svc env set API_KEY --secret --stdin --environment ${chosen} --project-id ${parts.project.name}`}
            >
              Set one below, or run:
            </Empty>
          )
          : (
            <ol class="rows plain">
              {variables.map((each) => (
                <VariableRow key={each.key} parts={parts} variable={each} environment={chosen} />
              ))}
            </ol>
          )}
      </Card>
      <Pager
        path={parts.path("environments")}
        cursor={shown.cursor}
        nextCursor={shown.nextCursor}
        query={{ environment: chosen }}
      />
      {mayChange ? <SetForm parts={parts} shown={shown} /> : null}
      {mayChange ? <PasteForm parts={parts} shown={shown} /> : null}
      {mayChange ? <CreateForm parts={parts} state={stateOf(shown, "create")} /> : null}
    </>,
  );
}
