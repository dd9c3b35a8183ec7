import assert from "node:assert/strict";
import { rekey, start } from "../../helpers/platform.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

Deno.test("channel secrets are stored encrypted and survive a new key", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  const options = { allowPrivateUpstreams: true };
  const signatures: string[] = [];
  const hook = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    signatures.push(request.headers.get("webhook-signature")!);
    return new Response(null, { status: 204 });
  });
  try {
    const before = await start(dataDir, options);
    const { json: webhook } = await before.api("POST", "/v1/webhooks", {
      json: { url: `http://127.0.0.1:${hook.addr.port}` },
    });
    await before.api("POST", `/v1/webhooks/${webhook.id}/rotate`);
    const vapidKey = async (platform: typeof before) =>
      (await platform.api("GET", "/v1/notifications/vapid-key")).json.publicKey;
    const key = await vapidKey(before);
    await before.shutdown();
    for (const secret of [webhook.secret, webhook.secret.replace("whsec_", "")]) {
      const { code } = await new Deno.Command("grep", { args: ["-rqaF", "-e", secret, dataDir] })
        .output();
      assert.equal(code, 1, "the data directory does not contain the secret");
    }
    assert.ok(await rekey(dataDir) >= 2);
    assert.equal(await rekey(dataDir) >= 2, true, "the data can be encrypted with another new key");

    const after = await start(dataDir, options);
    assert.equal(await vapidKey(after), key);
    const path = `/v1/webhooks/${webhook.id}/test`;
    assert.equal((await after.api("POST", path, { json: {} })).json.delivered, true);
    assert.equal(
      signatures[0]!.split(" ").length,
      2,
      "deliveries are also signed with the previous secret",
    );
    await after.shutdown();
  } finally {
    await stopServer(hook);
    await Deno.remove(dataDir, { recursive: true });
  }
});
