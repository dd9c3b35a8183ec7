/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The variables of a project. Secrets can be set and removed here, and are never shown.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { SCOPE_ALL, type Variable, VARIABLE_CATEGORIES } from "../../contract/variables.ts";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { environmentNames } from "./environment_names.ts";
import {
  askOnProject,
  canChange,
  cursorOf,
  openProject,
  type ProjectVisit,
} from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { Ago, Empty, Pager, SelectField } from "../layout/board_pieces.tsx";
import { Card, EndButton, Field, Form, Trouble } from "../layout/pieces.tsx";
import { TextAreaField } from "../layout/text_area_field.tsx";
import { projectPage } from "./project_page.tsx";

function VariableItem({ parts, variable }: {
  readonly parts: ProjectVisit;
  readonly variable: Variable;
}) {
  const { key, category, scope, value, updatedAt } = variable;
  return (
    <li>
      <div class="main">
        <span class="mono">{key}</span>
        <span class="mono soft">
          {category === "secret" ? "secret, hidden" : value === "" ? "empty" : value}
        </span>
      </div>
      <div class="meta end">
        <span>{scope === SCOPE_ALL ? "all environments" : scope}</span>
        <Ago at={updatedAt} now={parts.context.now} />
        {canChange(parts)
          ? (
            <EndButton
              action={parts.path("variables/remove")}
              csrf={parts.context.csrf}
              word="Remove"
              what={`${key} from all environments`}
              hidden={{ key }}
            />
          )
          : null}
      </div>
    </li>
  );
}

function SetForm({ parts, shown }: {
  readonly parts: ProjectVisit;
  readonly shown: FormPage & { readonly environments: readonly string[] };
}) {
  const { state = EMPTY, environments } = shown;
  const { values } = state;
  return (
    <Card
      title="Set a variable"
      id="set"
      lead="Setting an existing name replaces its value. It takes effect with the next deployment."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={parts.path("variables")} csrf={parts.context.csrf} class="wide">
          <div class="line-form">
            <Field label="Name" name="key" state={state} autocomplete="off" maxlength={128} />
            <SelectField
              label="Kind"
              name="category"
              values={VARIABLE_CATEGORIES}
              chosen={values.category ?? "secret"}
            />
            <SelectField
              label="Environment"
              name="scope"
              values={[SCOPE_ALL, ...environments]}
              chosen={values.scope ?? SCOPE_ALL}
            />
          </div>
          <TextAreaField
            label="Value"
            name="value"
            state={state}
            hint="Secrets are encrypted and can't be viewed again."
            isSecret={values.category !== "plain"}
          />
          <div>
            <button type="submit">Set variable</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function variablesPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly variables: readonly Variable[];
    readonly nextCursor: string | null;
    readonly environments: readonly string[];
  },
): Response {
  const { variables, nextCursor } = shown;
  return projectPage(
    parts,
    { ...shown, here: "variables", about: "variables" },
    <>
      <Card title="Variables" id="variables">
        {variables.length === 0
          ? (
            <Empty
              title="No variables yet"
              command={`svc env set API_KEY --secret --stdin --all --project-id ${parts.project.name}`}
            >
              Set one below, or run:
            </Empty>
          )
          : (
            <ol class="rows plain">
              {variables.map((each) => (
                <VariableItem key={`${each.key} ${each.scope}`} parts={parts} variable={each} />
              ))}
            </ol>
          )}
      </Card>
      <Pager path={parts.path("variables")} cursor={cursorOf(parts)} nextCursor={nextCursor} />
      {canChange(parts) ? <SetForm parts={parts} shown={shown} /> : null}
    </>,
  );
}

const AT = "/workspaces/:slug/projects/:project/variables";
/** Variables on one page. */
const SIZE = 50;

export function bindVariables(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const [page, environments] = await Promise.all([
      parts.api.call(endpoints.listVariables, {
        params: { project: parts.project.name },
        query: { limit: SIZE, ...(cursor === null ? {} : { cursor }) },
      }),
      environmentNames(parts),
    ]);
    const { items: variables, nextCursor } = page;
    return variablesPage(parts, { ...shown, variables, nextCursor, environments });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project, back } = await openProject(visit, services);
    const { key = "", value = "", scope = "", ...rest } = visit.fields;
    const category = VARIABLE_CATEGORIES.find((name) => name === rest.category) ?? "secret";
    try {
      await api.call(endpoints.setVariable, {
        params: { project: project.name, key },
        // Browsers send the ends of lines as CR LF (HTML, 4.10.21.5).
        body: { value: value.replaceAll("\r\n", "\n"), category, scope },
      });
      return back("variables", "variable-set");
    } catch (error) {
      return show(visit, refused(error, { key, value, category, scope }));
    }
  });

  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.variable(namedIn(parts))),
    run: async (visit) => {
      const { api, project, back } = await openProject(visit, services);
      const params = { project: project.name, key: visit.fields.key ?? "" };
      await api.call(endpoints.deleteVariable, { params });
      return back("variables", "variable-removed");
    },
  });
}
