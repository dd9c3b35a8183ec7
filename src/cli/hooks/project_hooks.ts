/** @module Lists and finds a project's deploy hooks, for the `hooks` commands. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import { type DeployHook, listHooks as listHooksEndpoint } from "../../contract/hooks.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatAge, printable } from "../terminal/format.ts";

/** Maximum number of hooks to list. */
const MAX_LISTED = 1000;

export async function listHooks(client: Client, project: Project): Promise<DeployHook[]> {
  const { items } = await collectPages(
    (query) => client.call(listHooksEndpoint, { query: { ...query, projectId: project.id } }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

/** Finds the hook with the given ID, or the only hook with the given name. */
export async function findHook(
  ctx: Context,
  client: Client,
  { project, reference }: { readonly project: Project; readonly reference: string },
): Promise<DeployHook> {
  const found = (await listHooks(client, project))
    .filter(({ id, name }) => id === reference || name === reference);
  if (found.length === 1) return found[0]!;
  const shown = printable(reference);
  const problem = found.length === 0 ? `it has no "${shown}"` : `several have the name "${shown}"`;
  throw new CliError("not_found", `Cannot find the hook in ${project.name}: ${problem}`, {
    next: [ctx.lines.ofProject("hooks", "list")],
  });
}

/** Column headings for `hookRow`. */
export const HOOK_HEADINGS = ["NAME", "BRANCH", "SCOPE", "TRIGGERED", "LAST", "ID"] as const;

/** Formats a hook as a table row. `now` is in milliseconds. */
export function hookRow(hook: DeployHook, now: number): string[] {
  const { name, branch, restrictBranch, scope, triggeredCount, lastTriggeredAt, id } = hook;
  return [
    name,
    restrictBranch ? `${branch} only` : branch,
    scope,
    String(triggeredCount),
    lastTriggeredAt === null ? "never" : formatAge(lastTriggeredAt, now),
    id,
  ];
}
