import { type DeviceLogin, startDeviceLogin } from "../../client/device_login.ts";
import type { DeviceToken } from "../../contract/device.ts";
import { getIdentity } from "../../contract/identity.ts";
import { defineCommand } from "../command/command.ts";
import { CliError, declined } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatFacts } from "../terminal/table.ts";
import { printable } from "../terminal/format.ts";
import { VERSION } from "../version.ts";
import { drawQrCode } from "./qr_code.ts";
import { assertCanStoreLogin, endToken } from "./stored_login.ts";
import { type LoginOutcome, waitForToken } from "./wait_for_token.ts";

/** The tool's name as the person who confirms sees it. */
const toolName = (ctx: Context): string => `svc ${VERSION} on ${ctx.machineName}`.slice(0, 60);

/** The workspace to request; the default of earlier logins is not a request. */
function askedWorkspace({ workspace }: Context): string | undefined {
  return workspace?.source === "default" ? undefined : workspace?.slug;
}

/** The page that shows this very code; with the workspace that was asked for, if any. */
function pageOf(login: DeviceLogin, ctx: Context): string {
  const { verification_uri_complete: complete } = login.authorization;
  const workspace = askedWorkspace(ctx);
  if (workspace === undefined) return complete;
  const url = new URL(complete);
  url.searchParams.set("workspace", workspace);
  return url.href;
}

function showWhere(login: DeviceLogin, ctx: Context, options: { readonly browser: boolean }): void {
  const { ui } = ctx;
  const { user_code: code, expires_in: seconds } = login.authorization;
  const page = pageOf(login, ctx);
  const minutes = Math.ceil(seconds / 60);
  if (ui.json) {
    ui.log("auth", "info", `Open ${page} and approve the code ${code} within ${minutes} minutes`);
    return;
  }
  const { bold, cyan } = ui.colors;
  ui.note(`\n  Open     ${cyan(printable(page))}\n  Code     ${bold(printable(code))}\n`);
  const qr = drawQrCode(page);
  const width = ui.stderr.isTerminal ? ui.stderr.columns?.() ?? 80 : 0;
  const isDrawn = width >= qr.columns + 2;
  if (isDrawn) ui.note(`${qr.text.replace(/^/gm, "  ")}\n`);
  const isOpen = options.browser && ctx.prompter !== undefined && ctx.openUrl(page);
  const by = isDrawn ? "Open the page, or scan the picture" : "Open the page";
  const where = isOpen ? "Your browser shows the page" : by;
  ui.log("auth", "info", `${where}; the code expires in ${minutes} minutes, Ctrl-C stops`);
}

function refusal(
  ctx: Context,
  { code, message }: Extract<LoginOutcome, { type: "refused" }>,
): CliError {
  if (code === "access_denied") return declined("Cannot log in: it was denied on the page");
  const reason = code === "expired_token" ? "nobody approved the code in time" : message;
  return new CliError("unauthorized", `Cannot log in: ${reason}`, { next: [ctx.lines.again()] });
}

/** Stores the token, and revokes the one that it replaces. */
async function store(token: DeviceToken, ctx: Context): Promise<void> {
  const { apiUrl, credentials, ui } = ctx;
  const { workspace_slug: workspace, workspace_name: workspaceName } = token;
  const before = credentials.logins(apiUrl).find((login) => login.workspace === workspace);
  await credentials.saveLogin({
    apiUrl,
    workspace,
    workspaceName,
    token: token.access_token,
    savedAt: new Date(ctx.now()),
  });
  if (before !== undefined) await endToken(ctx, before.token);
  const asked = askedWorkspace(ctx);
  if (asked !== undefined && asked !== workspace) {
    ui.log("workspace", "warn", `Workspace ${workspace} was approved, not ${asked}`);
  }
  if (ctx.settings.token !== undefined) {
    ui.log(
      "auth",
      "warn",
      "--token or SVC_TOKEN takes precedence: unset it to use this login",
    );
  }
}

export default defineCommand({
  description:
    "Shows an address and a code, and waits until you approve the code in a browser, on " +
    "this machine or another. The token is stored for the platform in use; --api-url names " +
    "another, and --workspace the workspace to request. In JSON mode nothing is asked or " +
    "opened: a log line has the address and the code, and the result follows once somebody " +
    "has approved.",
  define: (command) => command.option("--no-browser", "do not open a browser"),
  examples: [
    ["login", "log in to the platform in use"],
    ["login --no-browser", "only print the address, the code and a picture of it"],
    ["login --json", "for programs: waits for somebody to approve"],
  ],
  async run({ flags }, ctx) {
    const { ui, now, apiUrl } = ctx;
    await assertCanStoreLogin(ctx);
    const login = await startDeviceLogin(toolName(ctx), {
      baseUrl: apiUrl,
      fetch: ctx.fetch,
      signal: ctx.signal,
      now,
    });
    showWhere(login, ctx, { browser: flags.browser });
    const waited = await waitForToken(login, {
      now,
      sleep: ctx.sleep,
      onTrouble: (error) =>
        error === undefined
          ? ui.log("auth", "info", "The platform answers again")
          : ui.log("auth", "warn", `${error.message}: still trying`),
    });
    if (waited.type === "refused") throw refusal(ctx, waited);
    const { token } = waited;
    await store(token, ctx);
    const client = ctx.client({ phase: "auth", token: token.access_token });
    const { user, workspace } = await client.call(getIdentity, {});
    ui.done("auth", `Logged in to ${apiUrl}`);
    ui.result(
      { user, workspace, apiUrl },
      formatFacts([
        ["user", user.email === null ? user.name : `${user.name} <${user.email}>`],
        ["workspace", `${workspace.slug} (${workspace.role})`],
        ["platform", apiUrl],
      ]),
    );
  },
});
