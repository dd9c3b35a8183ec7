import { collectPages } from "../../client/collect_pages.ts";
import { listWorkspaces } from "../../contract/identity.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import { WORKSPACE_SOURCES } from "../session/workspace_choice.ts";
import { nearest } from "../../lib/suggest.ts";
import { assertCanStoreLogin } from "./stored_login.ts";

/** Maximum number of workspaces to search. */
const MAX_LISTED = 1000;

export default defineCommand({
  description: "Stores the choice in the credentials file, for the platform in use.",
  define: (command) => command.argument("<slug>", "slug of the workspace"),
  offers: { slug: "workspace" },
  examples: [["workspace switch acme", "use the workspace acme by default"]],
  async run({ args: [slug] }, ctx) {
    await assertCanStoreLogin(ctx);
    const client = ctx.client({ phase: "workspace" });
    const { items } = await collectPages(
      (query) => client.call(listWorkspaces, { query }),
      { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
    );
    const workspace = items.find((item) => item.slug === slug);
    if (workspace === undefined) {
      const near = nearest(slug, items.map((item) => item.slug));
      throw new CliError("not_found", `You are not a member of a workspace "${slug}"`, {
        ...(near === undefined ? {} : { hint: `Did you mean ${near}?` }),
        next: [ctx.lines.of("workspace", "list")],
      });
    }
    const hasLogin = ctx.credentials.logins(ctx.apiUrl).some((login) => login.workspace === slug);
    if (ctx.settings.token === undefined && !hasLogin) {
      throw actionRequired(`Log in to ${slug} first. A stored login covers one workspace`, [
        ctx.lines.of("login", "--workspace", slug),
      ]);
    }
    await ctx.credentials.saveDefaultWorkspace(ctx.apiUrl, slug);
    ctx.ui.done("workspace", `Default workspace is now ${slug}`);
    const { settings, workspace: inUse } = ctx;
    if (inUse !== undefined && inUse.source !== "default" && inUse.slug !== slug) {
      const place = WORKSPACE_SOURCES[inUse.source];
      ctx.ui.log(
        "workspace",
        "warn",
        `${place} names ${inUse.slug}, and takes precedence over the default`,
      );
    } else if (settings.token !== undefined) {
      ctx.ui.log(
        "workspace",
        "warn",
        "A key from --token or SVC_TOKEN always uses its own workspace. The default applies to logins",
      );
    }
    ctx.ui.result({ workspace }, "");
  },
});
