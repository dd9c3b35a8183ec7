/**
 * The device flow calls that tests make.
 *
 * @module
 */
import { DEVICE_GRANT_TYPE } from "../../src/contract/device.ts";
import type { Browser } from "./browser.ts";
import type { TestPlatform } from "./platform.ts";

/** Posts a form, as OAuth clients do. */
export async function form(platform: TestPlatform, path: string, fields: Record<string, string>) {
  return await platform.api("POST", path, { token: null, body: new URLSearchParams(fields) });
}

/**
 * Requests the token. If the client that started the flow has an ID, `clientId` must be that ID.
 */
export const poll = (platform: TestPlatform, code: string, clientId?: string) =>
  form(platform, "/v1/device/token", {
    grant_type: DEVICE_GRANT_TYPE,
    device_code: code,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });

/** Approves the sign-in, as a person would in a browser. */
export const approve = (browser: Browser, code: string, workspaceId: string) =>
  browser.send("POST", `/v1/device/requests/${code}/approve`, { json: { workspaceId } });
