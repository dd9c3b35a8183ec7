/**
 * The variables of a project as the `env` commands and `deploy` look at them.
 *
 * @module
 */
import { type Client, collectPages } from "../../client/mod.ts";
import { endpoints, PAGE_LIMIT_MAX, type Project, type Variable } from "../../contract/mod.ts";
import { definedOnly } from "../command/mod.ts";

/** Most variables that are listed, counting each scope. */
const MAX_LISTED = 10_000;

/** The variables of a project in every scope, or those that one environment sees. */
export async function listVariables(
  client: Client,
  project: Project,
  environment?: string,
): Promise<Variable[]> {
  const { items } = await collectPages(
    (page) =>
      client.call(endpoints.listVariables, {
        params: { project: project.id },
        query: { ...page, ...definedOnly({ environment }) },
      }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}
