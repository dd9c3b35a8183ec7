import { collectPages } from "../../client/collect_pages.ts";
import { getIdentity, listWorkspaces } from "../../contract/identity.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";

/** Maximum number of workspaces to list. */
const MAX_LISTED = 1000;

export default defineCommand({
  define: (command) => command,
  examples: [["workspace list", "show all workspaces of the current user"]],
  async run(_, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const [{ items }, identity] = await Promise.all([
      collectPages((query) => client.call(listWorkspaces, { query }), {
        limit: MAX_LISTED,
        pageSize: PAGE_LIMIT_MAX,
      }),
      client.call(getIdentity, {}),
    ]);
    const current = identity.workspace.slug;
    ctx.ui.result(
      { workspaces: items, current },
      ctx.ui.table(
        ["SLUG", "NAME", "ROLE", "CURRENT"],
        items.map(({ slug, name, role }) => [slug, name, role, slug === current ? "yes" : ""]),
      ),
    );
  },
});
