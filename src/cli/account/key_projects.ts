/** @module Lists the names of the projects that a key can access. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import { listProjects } from "../../contract/projects.ts";
import { MAX_KEY_PROJECTS } from "../../contract/permissions.ts";
import { printable } from "../terminal/format.ts";

/** Names the existing projects that the client's key can access. */
export async function nameKeyProjects(client: Client): Promise<string> {
  const { items } = await collectPages(
    (query) => client.call(listProjects, { query }),
    { limit: MAX_KEY_PROJECTS, pageSize: MAX_KEY_PROJECTS },
  );
  return items.map(({ name }) => printable(name)).join(", ") || "deleted projects only";
}
