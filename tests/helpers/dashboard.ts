/**
 * A platform and the people who use its pages: an owner and a viewer of the workspace `acme`, and
 * someone who is not a member.
 *
 * @module
 */
import type { BrowserContext, Page } from "playwright-core";
import type { ProgramOptions } from "./platform_process.ts";
import { Visitor } from "./page_visitor.ts";
import { type ApiAnswer, type TestPlatform, withPlatform } from "./platform.ts";

export interface DashboardPlatform {
  readonly platform: TestPlatform;
  /** The platform and a key for the workspace. Helpers that deploy need both. */
  readonly own: TestPlatform;
  readonly ada: Visitor;
  readonly viewer: Visitor;
  readonly stranger: Visitor;
  /** Calls the API with the workspace's key. Throws if the status is unexpected. */
  api(method: string, path: string, json?: unknown, status?: number): Promise<ApiAnswer>;
}

/** Runs a test on a platform whose workspace `acme` is empty. */
export function withDashboard(
  run: (parts: DashboardPlatform) => Promise<void>,
  options: Partial<ProgramOptions> = {},
): Promise<void> {
  return withPlatform(async (platform) => {
    const [ada, viewer, stranger] = [0, 1, 2].map(() => new Visitor(platform)) as [
      Visitor,
      Visitor,
      Visitor,
    ];
    await Promise.all([ada.signUp("ada"), viewer.signUp("vic"), stranger.signUp("sam")]);
    await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "acme", name: "Acme" });
    const bySession = (path: string, json: unknown) =>
      platform.api("POST", path, {
        token: null,
        json,
        headers: { cookie: ada.cookie, "x-workspace": "acme", "sec-fetch-site": "same-origin" },
      });
    const invitation = await bySession("/v1/invitations", { role: "viewer" });
    const { pathname } = new URL(invitation.json.url);
    await viewer.submit(await viewer.open(pathname), pathname);
    const { json: { key } } = await bySession("/v1/api-keys", { name: "ci", role: "owner" });
    const own: TestPlatform = {
      ...platform,
      api: (method, path, options = {}) => platform.api(method, path, { token: key, ...options }),
    };
    await run({
      platform,
      own,
      ada,
      viewer,
      stranger,
      async api(method, path, json, status) {
        const answer = await own.api(method, path, json === undefined ? {} : { json });
        const isWanted = status === undefined ? answer.status < 300 : answer.status === status;
        if (!isWanted) throw new Error(`${method} ${path}: ${JSON.stringify(answer.json)}`);
        return answer;
      },
    });
  }, options);
}

/** Opens a page in a browser that is signed in as the owner. */
export async function signInBrowser(
  context: BrowserContext,
  { ada, platform }: Pick<DashboardPlatform, "ada" | "platform">,
): Promise<Page> {
  const [name = "", value = ""] = ada.cookie.split("=");
  await context.addCookies([{ name, value, url: `http://127.0.0.1:${platform.port}` }]);
  context.setDefaultTimeout(60_000);
  return await context.newPage();
}
