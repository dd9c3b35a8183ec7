/**
 * `/workspaces/{slug}/publishers`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_PUBLISHERS, PUBLISHER_PROVIDERS } from "../../contract/publishers.ts";
import { type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { publishersPath } from "../layout/bar.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import type { Grant } from "./grant_fields.tsx";
import { openKeys } from "./open_keys.ts";
import { publishersPage } from "./publishers_page.tsx";
import { grantProblem, readGrant } from "./read_grant.ts";

const AT = "/workspaces/:slug/publishers";

/** Fields that are left empty where they do not matter. */
const OPTIONAL = ["branch", "tag", "environment", "workflow", "issuer"] as const;

export function bindPublishers(bind: PageBinder, services: BoardServices): void {
  const show = async (
    visit: PersonVisit,
    shown: FormPage & { readonly grant?: Grant } = {},
  ): Promise<Response> => {
    const { context, api, choices } = await openKeys(visit, services);
    const { items: publishers } = await api.call(endpoints.listPublishers, {
      query: { limit: MAX_PUBLISHERS },
    });
    return publishersPage(context, { ...shown, publishers, choices });
  };

  bind.personal("GET", AT, (visit) => show(visit));
  bind.personal("POST", AT, async (visit) => {
    const { api, context } = await openKeys(visit, services);
    const { fields } = visit;
    const grant = readGrant(visit);
    const failure = grantProblem(grant);
    if (failure !== undefined) {
      return await show(visit, {
        state: { values: fields, problems: {}, failure },
        status: 400,
        grant,
      });
    }
    const { permissions, projects } = grant;
    try {
      await api.call(endpoints.createPublisher, {
        body: {
          provider: PUBLISHER_PROVIDERS.find((each) => each === fields.provider) ?? "github",
          repository: fields.repository?.trim() ?? "",
          ...Object.fromEntries(
            OPTIONAL.flatMap((name) => {
              const text = fields[name]?.trim() ?? "";
              return text === "" ? [] : [[name, text]];
            }),
          ),
          pullRequests: fields.pullRequests === "yes",
          permissions,
          projects: projects && [...projects],
        },
      });
    } catch (error) {
      return await show(visit, { ...refused(error, fields), grant });
    }
    return goTo(`${publishersPath(context.workspace.slug)}?done=publisher-added`);
  });

  bind.personal("POST", `${AT}/remove`, async (visit) => {
    const { api, context } = await openKeys(visit, services);
    const { id = "", confirm } = visit.fields;
    if (confirm !== "yes") {
      throw new Failure("invalid_request", "Select the checkbox to remove the publisher");
    }
    await api.call(endpoints.deletePublisher, { params: { publisher: id } });
    return goTo(`${publishersPath(context.workspace.slug)}?done=publisher-removed`);
  });
}
