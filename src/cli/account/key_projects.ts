/**
 * The projects that a key reaches, as people know them.
 *
 * @module
 */
import { type Client, collectPages } from "../../client/mod.ts";
import { endpoints, MAX_KEY_PROJECTS } from "../../contract/mod.ts";
import { printable } from "../terminal/mod.ts";

/** Names the projects that the client's key reaches, of those that are left. */
export async function nameKeyProjects(client: Client): Promise<string> {
  const { items } = await collectPages(
    (query) => client.call(endpoints.listProjects, { query }),
    { limit: MAX_KEY_PROJECTS, pageSize: MAX_KEY_PROJECTS },
  );
  return items.map(({ name }) => printable(name)).join(", ") || "none that exists any more";
}
