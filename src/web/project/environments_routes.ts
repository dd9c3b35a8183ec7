/** @module `/workspaces/{slug}/projects/{project}/environments`. */
import { collectPages } from "../../client/collect_pages.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Deployment } from "../../contract/deployments.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Environment } from "../../contract/environments.ts";
import { MAX_VARIABLES, type Variable, VARIABLE_CATEGORIES } from "../../contract/variables.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { goTo } from "../layout/document.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { readVariables } from "../start/read_variables.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import { QUESTIONS } from "../asking/questions.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { WHOLE_LIST } from "../visit/page_context.ts";
import { environmentsPage, type EnvironmentsView } from "./environments_page.tsx";
import { askOnProject, openProject, type ProjectVisit } from "./open_project.ts";
import type { PastePlan } from "./paste_plan.tsx";

const AT = "/workspaces/:slug/projects/:project/environments";
/** Maximum number of preview branches on the page. */
const BRANCHES = 10;
/** Number of variables per page. */
const SIZE = 50;
/** Number of deployments that are searched for preview branches. */
const READ = 50;

/** Returns the deployments that are currently live in an environment. */
async function liveOf(parts: ProjectVisit, environment: Environment): Promise<Deployment[]> {
  const { api, project } = parts;
  const { name } = environment;
  if (name === ENVIRONMENT_PRODUCTION) {
    const deployment = project.productionDeploymentId;
    if (deployment === null) return [];
    return [await api.call(endpoints.getDeployment, { params: { deployment } })];
  }
  const isPreview = name === ENVIRONMENT_PREVIEW;
  const { items } = await api.call(endpoints.listDeployments, {
    params: { project: project.name },
    query: { environment: name, status: "LIVE", limit: isPreview ? READ : 1 },
  });
  const newest = new Map<string, Deployment>();
  for (const each of items) if (!newest.has(each.branch)) newest.set(each.branch, each);
  return [...newest.values()].slice(0, BRANCHES);
}

/** Returns all variables that are visible in an environment. */
async function variablesOf(
  { api, project }: ProjectVisit,
  environment: string,
): Promise<Variable[]> {
  const params = { project: project.name };
  const { items } = await collectPages(
    (query) => api.call(endpoints.listVariables, { params, query: { ...query, environment } }),
    { limit: MAX_VARIABLES, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

function planOf(text: string, scope: string, known: readonly Variable[]): PastePlan {
  const { variables, problems } = readVariables(text);
  const before = new Map(known.map((variable) => [variable.key, variable]));
  const changes = [...variables].map(([key, value]) => {
    const old = before.get(key);
    if (old === undefined || old.scope !== scope) return { key, word: "new" as const };
    if (old.category === "secret") return { key, word: "replaces a secret" as const };
    return { key, word: old.value === value ? "unchanged" as const : "changed" as const };
  });
  return { problems, changes };
}

const categoryOf = (given: string | undefined) =>
  VARIABLE_CATEGORIES.find((name) => name === given) ?? "secret";

/** Browsers send line breaks as CRLF (HTML, 4.10.21.5). */
const textOf = (value = ""): string => value.replaceAll("\r\n", "\n");

export function bindEnvironments(bind: PageBinder, services: BoardServices): void {
  type Shown = FormPage & Pick<EnvironmentsView, "refused" | "plan">;

  const show = async (visit: PersonVisit, shown: Shown = {}) => {
    const parts = await openProject(visit, services);
    const { items } = await parts.api.call(endpoints.listEnvironments, {
      params: { project: parts.project.name },
      query: WHOLE_LIST,
    });
    const wanted = visit.fields.environment ?? visit.query.get("environment");
    const chosen = items.find(({ name }) => name === wanted)?.name ?? ENVIRONMENT_PRODUCTION;
    const [environments, variables] = await Promise.all([
      Promise.all(items.map(async (each) => ({
        ...each,
        deployments: await liveOf(parts, each),
      }))),
      variablesOf(parts, chosen),
    ]);
    const edited = variables.find(({ key }) => key === visit.query.get("edit"));
    const filled = edited === undefined ? {} : {
      refused: "set" as const,
      state: {
        ...EMPTY,
        values: {
          key: edited.key,
          value: edited.value ?? "",
          category: edited.category,
          scope: edited.scope,
        },
      },
    };
    const after = visit.query.get("cursor");
    const rest = after === null ? variables : variables.filter(({ key }) => key > after);
    const plan = shown.plan === undefined && visit.fields.dotenv !== undefined
      ? { plan: planOf(visit.fields.dotenv, visit.fields.scope ?? "", variables) }
      : {};
    return environmentsPage(parts, {
      ...filled,
      ...plan,
      ...shown,
      environments,
      chosen,
      variables: rest.slice(0, SIZE),
      cursor: after,
      nextCursor: rest.length > SIZE ? rest[SIZE - 1]!.key : null,
    });
  };
  /** Redirects to the page for the form's environment. */
  const back = ({ path }: ProjectVisit, visit: PersonVisit, done: string) => {
    const query = new URLSearchParams({ environment: visit.fields.environment ?? "", done });
    return goTo(`${path("environments")}?${query}`);
  };

  bind.personal("GET", AT, (visit) => show(visit));
  // Redirects links to the old variables page.
  bind.personal("GET", "/workspaces/:slug/projects/:project/variables", async (visit) => {
    const { path } = await openProject(visit, services);
    return goTo(`${path("environments")}#variables`);
  });

  bind.personal("POST", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const { name = "" } = visit.fields;
    try {
      const params = { project: parts.project.name };
      await parts.api.call(endpoints.createEnvironment, { params, body: { name } });
      return goTo(`${parts.path("environments")}?environment=${name}&done=environment-made`);
    } catch (error) {
      return show(visit, { ...refused(error, { name }), refused: "create" });
    }
  });

  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, (parts) => QUESTIONS.environment(namedIn(parts))),
    run: async (visit) => {
      const { api, project, back } = await openProject(visit, services);
      const params = { project: project.name, environment: visit.fields.environment ?? "" };
      await api.call(endpoints.deleteEnvironment, { params });
      return back("environments", "environment-deleted");
    },
  });

  bind.personal("POST", `${AT}/set`, async (visit) => {
    const parts = await openProject(visit, services);
    const { key = "", value, scope = "", changeCategory, replaceScope } = visit.fields;
    const category = categoryOf(visit.fields.category);
    try {
      await parts.api.call(endpoints.setVariable, {
        params: { project: parts.project.name, key },
        body: {
          value: textOf(value),
          category,
          scope,
          changeCategory: changeCategory === "yes",
          replaceScope: replaceScope === "yes",
        },
      });
      return back(parts, visit, "variable-set");
    } catch (error) {
      const { state, ...facts } = refused(error, { ...visit.fields, category });
      // A value that was entered as plain text may still be a secret, so it is shown again only if
      // the input was invalid.
      const { value: _, ...values } = state.values;
      const isShown = facts.status === 400;
      return show(visit, {
        ...facts,
        state: isShown ? state : { ...state, values },
        refused: "set",
      });
    }
  });

  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.variable(namedIn(parts))),
    run: async (visit) => {
      const parts = await openProject(visit, services);
      const { key = "", scope = "" } = visit.fields;
      await parts.api.call(endpoints.deleteVariable, {
        params: { project: parts.project.name, key },
        query: { scope },
      });
      return back(parts, visit, "variable-removed");
    },
  });

  bind.personal("POST", `${AT}/paste`, async (visit) => {
    const parts = await openProject(visit, services);
    const { dotenv = "", scope = "", act } = visit.fields;
    const { variables, problems } = readVariables(dotenv);
    const state = { values: visit.fields, problems: {} };
    if (act !== "set") return show(visit, { state, refused: "paste" });
    if (problems.length > 0) return show(visit, { state, refused: "paste", status: 400 });
    let count = 0;
    try {
      for (const [key, value] of variables) {
        await parts.api.call(endpoints.setVariable, {
          params: { project: parts.project.name, key },
          body: { value, category: categoryOf(visit.fields.category), scope },
        });
        count++;
      }
      return back(parts, visit, "variables-set");
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const message = `${error.message}. Set ${count} of ${variables.size} variables`;
      const failure = new Failure(error.code, message, { cause: error });
      return show(visit, { ...refused(failure, visit.fields), refused: "paste" });
    }
  });
}
