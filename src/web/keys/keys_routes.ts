/** @module `/workspaces/{slug}/keys`. */
import { endpoints } from "../../contract/endpoints.ts";
import { ROLES } from "../../contract/identity.ts";
import { checkFields, type FormPage, refused } from "../layout/form.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { namedIn } from "../visit/board_context.ts";
import { goTo } from "../layout/document.tsx";
import { keysPath } from "../layout/bar.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import type { Grant } from "./grant_fields.tsx";
import { keyPage } from "./key_page.tsx";
import { keysPage } from "./keys_page.tsx";
import { findKey, openKeys } from "./open_keys.ts";
import { grantProblem, readExpiry, readGrant } from "./read_grant.ts";

const AT = "/workspaces/:slug/keys";

/** The schema of the form's text fields. */
const texts = endpoints.createApiKey.body.pick({ name: true, description: true });

/** Number of keys per page. */
const SIZE = 50;

type KeysPageView = FormPage & { readonly made?: string; readonly grant?: Grant };

/** Validates the text fields and checkboxes of a form. */
function checkForm(visit: PersonVisit, grant: Grant) {
  const checked = checkFields(texts, visit.fields);
  if (!checked.ok) return { ok: false as const, state: checked.state };
  const failure = grantProblem(grant);
  return failure === undefined
    ? checked
    : { ok: false as const, state: { values: visit.fields, problems: {}, failure } };
}

export function bindKeys(bind: PageBinder, services: BoardServices): void {
  const showAll = async (visit: PersonVisit, shown: KeysPageView = {}): Promise<Response> => {
    const { context, api, choices } = await openKeys(visit, services);
    const cursor = visit.query.get("cursor");
    const { items: keys, nextCursor } = await api.call(endpoints.listApiKeys, {
      query: { limit: SIZE, cursor: cursor ?? undefined },
    });
    return keysPage(context, { ...shown, keys, cursor, nextCursor, choices });
  };
  const showOne = async (visit: PersonVisit, shown: KeysPageView = {}): Promise<Response> => {
    const board = await openKeys(visit, services);
    const apiKey = await findKey(board, visit.params.key ?? "");
    return keyPage(board.context, { ...shown, apiKey, choices: board.choices });
  };

  bind.personal("GET", AT, (visit) => showAll(visit));
  bind.personal("POST", AT, async (visit) => {
    const { api, context } = await openKeys(visit, services);
    const grant = readGrant(visit);
    const checked = checkForm(visit, grant);
    if (!checked.ok) return await showAll(visit, { state: checked.state, status: 400, grant });
    const expiresAt = readExpiry(visit.fields, context.now);
    const role = ROLES.find((each) => each === visit.fields.role) ?? "developer";
    try {
      const { key } = await api.call(endpoints.createApiKey, {
        body: { ...checked.value, ...toBody(grant), role, ...(expiresAt ? { expiresAt } : {}) },
      });
      return await showAll(visit, { made: key });
    } catch (error) {
      return await showAll(visit, { ...refused(error, visit.fields), grant });
    }
  });

  bind.asking(`${AT}/revoke`, {
    ask: async (visit) => QUESTIONS.apiKey(namedIn(await openKeys(visit, services))),
    run: async (visit) => {
      const { api, context } = await openKeys(visit, services);
      await api.call(endpoints.revokeApiKey, { params: { key: visit.fields.id ?? "" } });
      return goTo(`${keysPath(context.workspace.slug)}?done=key-revoked`);
    },
  });

  bind.personal("GET", `${AT}/:key`, (visit) => showOne(visit));
  bind.personal("POST", `${AT}/:key`, async (visit) => {
    const { api, context } = await openKeys(visit, services);
    const grant = readGrant(visit);
    const checked = checkForm(visit, grant);
    if (!checked.ok) return await showOne(visit, { state: checked.state, status: 400, grant });
    const expiresAt = readExpiry(visit.fields, context.now);
    try {
      await api.call(endpoints.updateApiKey, {
        params: { key: visit.params.key ?? "" },
        body: {
          ...checked.value,
          ...toBody(grant),
          ...(expiresAt === undefined ? {} : { expiresAt }),
        },
      });
    } catch (error) {
      return await showOne(visit, { ...refused(error, visit.fields), grant });
    }
    return goTo(`${keysPath(context.workspace.slug)}?done=key-changed`);
  });
}

/** Converts a grant to the API's format. */
const toBody = ({ permissions, projects }: ReturnType<typeof readGrant>) => ({
  permissions,
  projects: projects && [...projects],
});
