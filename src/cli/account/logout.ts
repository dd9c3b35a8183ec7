import { defineCommand } from "../command/command.ts";
import type { Context } from "../session/context.ts";
import { assertCanStoreLogin, endToken, type TokenEnd } from "./stored_login.ts";

interface Ended {
  readonly workspace: string;
  readonly token: TokenEnd;
}

/** Reports what the user needs to know about a token that was removed from the stored logins. */
function report({ workspace, token }: Ended, ctx: Context): void {
  ctx.ui.done("auth", `Logged out of ${workspace}`);
  if (token === "kept") {
    const hint = `The key of ${workspace} is an API key: it stays valid until an owner revokes it`;
    ctx.ui.log("auth", "warn", hint);
  }
  if (token === "unknown") {
    const page = `${ctx.apiUrl}/account/sessions`;
    ctx.ui.log("auth", "warn", `Could not revoke the token on the platform. Revoke it at ${page}`);
  }
}

export default defineCommand({
  description: "Removes the current workspace's stored login and revokes its token.",
  define: (command) => command.option("--all", "log out of every workspace on the platform"),
  examples: [
    ["logout", "log out of the current workspace"],
    ["logout --all", "log out of all workspaces"],
  ],
  async run({ flags }, ctx) {
    const { apiUrl, credentials, settings, ui } = ctx;
    const wanted = ctx.workspace?.slug ?? credentials.defaultWorkspace(apiUrl);
    const logins = credentials.logins(apiUrl)
      .filter(({ workspace }) => flags.all === true || workspace === wanted);
    if (logins.length > 0) await assertCanStoreLogin(ctx);
    const loggedOut: Ended[] = [];
    for (const { workspace, token } of logins) {
      const ended = { workspace, token: await endToken(ctx, token) };
      await credentials.removeLogin({ apiUrl, workspace });
      report(ended, ctx);
      loggedOut.push(ended);
    }
    if (loggedOut.length === 0) {
      const which = wanted === undefined || flags.all === true ? apiUrl : `${wanted} at ${apiUrl}`;
      ui.log("auth", "info", `No stored login for ${which}`);
    }
    if (settings.token !== undefined) {
      ui.log("auth", "warn", "--token or SVC_TOKEN is still set, so commands keep using it");
    }
    ui.result({ loggedOut, apiUrl }, "");
  },
});
