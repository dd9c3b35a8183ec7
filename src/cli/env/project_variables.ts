/** @module Lists a project's variables, for the `env` commands and `deploy`. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Project } from "../../contract/projects.ts";
import { listVariables as listVariablesEndpoint, type Variable } from "../../contract/variables.ts";

/** Maximum number of variables to list, counting each scope separately. */
const MAX_LISTED = 10_000;

/** Lists the variables of a project in every scope, or those visible in one environment. */
export async function listVariables(
  client: Client,
  project: Project,
  environment?: string,
): Promise<Variable[]> {
  const { items } = await collectPages(
    (page) =>
      client.call(listVariablesEndpoint, {
        params: { project: project.id },
        query: { ...page, environment },
      }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}
