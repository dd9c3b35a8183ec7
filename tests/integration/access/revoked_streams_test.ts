/** Checks that a stream of log lines ends once its reader's key is revoked. */
import assert from "node:assert/strict";
import { fetchStream } from "../../helpers/contract.ts";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

Deno.test("a log stream ends within a heartbeat after its key is revoked", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    const { json: { id, key } } = await platform.api("POST", "/v1/api-keys", {
      json: { name: "reader", permissions: ["read"] },
    });
    const url = `http://127.0.0.1:${platform.port}/v1/projects/shop/logs/stream`;
    const response = await fetchStream(url, { headers: { authorization: `Bearer ${key}` } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, ": open\n\n");
    assert.equal((await reader.read()).value, ": heartbeat\n\n");
    assert.equal((await platform.api("DELETE", `/v1/api-keys/${id}`)).status, 204);
    assert.equal((await reader.read()).done, true);
  }));
