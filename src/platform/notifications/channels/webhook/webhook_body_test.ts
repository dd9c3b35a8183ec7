import assert from "node:assert/strict";
import { content } from "../../delivery/_test_delivery.ts";
import { mintWebhookSecret, signWebhook } from "../../../../lib/sign_webhook.ts";
import { webhookBody, webhookMessageId } from "./webhook_body.ts";

Deno.test("signWebhook() creates the signature from the specification's own example", () => {
  const signature = signWebhook({
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  }, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  assert.equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

Deno.test("mintWebhookSecret() returns 32 bytes with the usual prefix", () => {
  const secret = mintWebhookSecret((count) => new Uint8Array(count).fill(7));
  assert.equal(secret, `whsec_${btoa("\x07".repeat(32))}`);
});

Deno.test("webhookBody() contains type, timestamp and data", () => {
  const event = content({ id: "e1", data: { project: "shop" } });
  assert.deepEqual(JSON.parse(webhookBody(event)), {
    type: "deployment.live",
    timestamp: "2026-01-01T12:00:00.000Z",
    data: {
      id: "e1",
      workspaceId: event.workspaceId,
      category: "Deployment",
      priority: "HIGH",
      title: event.title,
      body: event.body,
      actionUrl: event.actionUrl,
      details: { project: "shop" },
    },
  });
  assert.equal(webhookMessageId(event), "msg_e1");
});
