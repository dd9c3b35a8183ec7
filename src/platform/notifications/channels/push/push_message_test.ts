import assert from "node:assert/strict";
import { content } from "../../delivery/_test_delivery.ts";
import { pushPayload, pushTopic } from "./push_message.ts";

Deno.test("pushPayload() contains the text for the service worker", () => {
  const payload = JSON.parse(pushPayload(content({ id: "n1" })));
  assert.deepEqual(payload, {
    id: "n1",
    event: "deployment.live",
    category: "Deployment",
    priority: "HIGH",
    title: "shop is live",
    createdAt: content().createdAt,
    url: "https://svc.example/projects/shop",
    body: "Version 7 of shop answers in production",
  });
});

Deno.test("pushPayload() fits into a push message, regardless of the length of the text", () => {
  const long = content({
    title: "ü".repeat(500),
    body: "😀".repeat(4000),
    actionUrl: `https://svc.example/${"x".repeat(3000)}`,
  });
  assert.ok(new TextEncoder().encode(pushPayload(long)).byteLength < 3500);
});

Deno.test("pushTopic() returns 32 URL-safe characters", () => {
  assert.match(pushTopic("0123456789abcdef".repeat(4)), /^[\w-]{32}$/);
});
