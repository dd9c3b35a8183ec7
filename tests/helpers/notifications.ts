/**
 * Steps shared by notification tests.
 *
 * @module
 */
import { Browser, PASSWORD } from "./browser.ts";
import type { ApiAnswer, TestPlatform } from "./platform.ts";

/** Signs in as the owner, and sets the owner's address to `olga@example.com`. */
export async function claimOwner(platform: TestPlatform): Promise<Browser> {
  const browser = new Browser(platform);
  const token = new URL(platform.ownerLink!).pathname.split("/").at(-1);
  const json = { token, email: "olga@example.com", password: PASSWORD, name: "Olga" };
  const answer = await browser.send("POST", "/v1/owner-link", { json });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
  return browser;
}

/** Raises an event in the workspace `default`. */
export function raise(platform: TestPlatform, event: string, data = {}): Promise<ApiAnswer> {
  return platform.api("POST", "/v1/events", { json: { event, data } });
}

/** Changes a person's preferences for a category. */
export async function prefer(browser: Pick<Browser, "send">, wanted: object): Promise<void> {
  const path = "/v1/notifications/preferences/category";
  const { status, json } = await browser.send("PUT", path, { json: wanted });
  if (status !== 200) throw new Error(JSON.stringify(json));
}
