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

/** Returns the CLI's name, as shown on the page where the user confirms the login. */
const toolName = (ctx: Context): string => `svc ${VERSION} on ${ctx.machineName}`.slice(0, 60);

/** Returns the workspace to request. A default from an earlier login is not requested. */
function askedWorkspace({ workspace }: Context): string | undefined {
  return workspace?.source === "default" ? undefined : workspace?.slug;
}

/**
 * Returns the URL of the page on which this code, and the requested workspace if any, are already
 * filled in.
 */
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
  const by = isDrawn ? "Open the page, or scan the QR code" : "Open the page";
  const where = isOpen ? "The page is open in your browser" : by;
  ui.log(
    "auth",
    "info",
    `${where}. The code expires in ${minutes} minutes. Press Ctrl-C to cancel`,
  );
}

function refusal(
  ctx: Context,
  { code, message }: Extract<LoginOutcome, { type: "refused" }>,
): CliError {
  if (code === "access_denied") return declined("Login was denied in the browser");
  const reason = code === "expired_token" ? "the code expired before it was approved" : message;
  return new CliError("unauthorized", `Cannot log in: ${reason}`, { next: [ctx.lines.again()] });
}

/** Stores the token and revokes the previous one. */
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
    ui.log("workspace", "warn", `You approved workspace ${workspace} instead of ${asked}`);
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
    "Shows a URL and a code, and waits until you approve the code in a browser, on this machine or another. The token is stored for the current platform. Use --api-url for another platform and --workspace to request a workspace. With --json, svc does not prompt or open a browser: a log line has the URL and the code. The result is printed once you approve the code.",
  define: (command) => command.option("--no-browser", "do not open a browser"),
  examples: [
    ["login", "log in to the current platform"],
    ["login --no-browser", "only print the URL, the code and a QR code"],
    ["login --json", "for scripts: wait until the code is approved"],
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
          ? ui.log("auth", "info", "The platform is reachable again")
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
