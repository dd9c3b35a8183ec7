/**
 * The page that the logo and a sign-in lead to.
 *
 * @module
 */
import { type Person, selfCallerOf } from "../../platform/core/access/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { overviewPath } from "../layout/bar.tsx";

/** Path of the overview of a person's first workspace; of all workspaces for one without any. */
export async function homePath(workspaces: WorkspaceService, person: Person): Promise<string> {
  const { items: [first] } = await workspaces.list(selfCallerOf(person), { limit: 1 });
  return first === undefined ? "/workspaces" : overviewPath(first.slug);
}
