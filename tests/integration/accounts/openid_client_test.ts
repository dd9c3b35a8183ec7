import assert from "node:assert/strict";
import * as client from "openid-client";
import { signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve } from "../../helpers/device_flow.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";

/** Uses openid-client as a CLI would, configured only to allow HTTP. */
async function discover(platform: TestPlatform): Promise<client.Configuration> {
  return await client.discovery(new URL(platform.url), "svc", undefined, client.None(), {
    algorithm: "oauth2",
    execute: [client.allowInsecureRequests],
  });
}

/** Polls without waiting for the interval. */
async function pollOnce(config: client.Configuration, deviceCode: string): Promise<string> {
  try {
    await client.genericGrantRequest(config, "urn:ietf:params:oauth:grant-type:device_code", {
      device_code: deviceCode,
    });
    return "token";
  } catch (error) {
    assert.ok(error instanceof client.ResponseBodyError, String(error));
    assert.equal(error.status, 400);
    return error.error;
  }
}

Deno.test("the unmodified openid-client completes the device flow", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const config = await discover(platform);
    const started = await client.initiateDeviceAuthorization(config, { scope: "all" });
    assert.equal(started.expires_in, 300);
    assert.equal((await approve(ada, started.user_code, workspaceId)).status, 204);
    const soon = { ...started, interval: 0.01 };
    const tokens = await client.pollDeviceAuthorizationGrant(config, soon);
    assert.equal(tokens.token_type, "bearer");
    assert.equal(tokens.workspace_slug, "ada");
    const me = await client.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL("/v1/me", platform.url),
      "GET",
    );
    assert.equal((await me.json()).workspace.slug, "ada");
  }));

Deno.test("openid-client recognizes each error", () =>
  withPlatform(async (platform) => {
    const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
    const config = await discover(platform);
    const first = await client.initiateDeviceAuthorization(config, {});
    assert.equal(await pollOnce(config, first.device_code), "authorization_pending");
    assert.equal(await pollOnce(config, first.device_code), "slow_down");
    await approve(ada, first.user_code, workspaceId);
    assert.equal(await pollOnce(config, first.device_code), "token");
    assert.equal(await pollOnce(config, first.device_code), "invalid_grant");
    const second = await client.initiateDeviceAuthorization(config, {});
    await ada.send("POST", `/v1/device/requests/${second.user_code}/deny`);
    await assert.rejects(
      client.pollDeviceAuthorizationGrant(config, { ...second, interval: 0.01 }),
      (error) => error instanceof client.ResponseBodyError && error.error === "access_denied",
    );
  }));
