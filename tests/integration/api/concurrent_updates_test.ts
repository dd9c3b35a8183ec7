import assert from "node:assert/strict";
import {
  type ApiAnswer,
  createProject,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const WRITERS = 100;

/** Sends all requests at once. All of them must succeed, although they write to the same record. */
async function allAtOnce(
  platform: TestPlatform,
  request: (writer: number) => readonly [method: string, path: string, json: unknown],
): Promise<ApiAnswer[]> {
  const answers = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => {
    const [method, path, json] = request(writer);
    return platform.api(method, path, { json });
  }));
  for (const { status, json } of answers) assert.ok(status < 300, JSON.stringify(json));
  return answers;
}

Deno.test("100 simultaneous changes to one person's preferences all succeed, and none is lost", () =>
  withPlatform(async (platform) => {
    const path = "/v1/notifications/preferences/category";
    const categories = ["Deployment", "Health", "Billing", "Security", "System"];
    await allAtOnce(platform, (writer) => {
      const category = categories[writer % categories.length];
      const change = writer % 2 === 0
        ? { minimumPriority: "HIGH" }
        : { quietHours: { start: "22:00", end: "07:00" } };
      return ["PUT", path, { category, ...change }];
    });
    const { json } = await platform.api("GET", "/v1/notifications/preferences");
    for (const { category, minimumPriority, quietHours } of json.categories) {
      assert.equal(minimumPriority, "HIGH", category);
      assert.deepEqual(quietHours, { start: "22:00", end: "07:00" }, category);
    }
  }));

Deno.test("100 simultaneous changes to one record all succeed, for every kind of record", () =>
  withPlatform(async (platform) => {
    const { id: projectId } = await createProject(platform, "shop");
    const hook = await platform.api("POST", "/v1/deploy-hooks", {
      json: { projectId, name: "hook", branch: "main", scope: "All" },
    });
    const webhook = await platform.api("POST", "/v1/webhooks", {
      json: { url: "https://webhook.example/", events: ["deployment.live"] },
    });
    await allAtOnce(platform, (n) => ["PATCH", "/v1/projects/shop", { branch: `branch-${n}` }]);
    await allAtOnce(platform, (n) => [
      "PATCH",
      `/v1/deploy-hooks/${hook.json.hook?.id ?? hook.json.id}`,
      { name: `hook ${n}` },
    ]);
    await allAtOnce(platform, (n) => [
      "PATCH",
      `/v1/webhooks/${webhook.json.webhook?.id ?? webhook.json.id}`,
      { description: `webhook ${n}` },
    ]);
    await allAtOnce(platform, (n) => ["PATCH", "/v1/workspace", { name: `Workspace ${n}` }]);
    await allAtOnce(platform, (n) => [
      "PUT",
      `/v1/projects/shop/variables/KEY_${n}`,
      { value: "value", category: "plain", scope: "all" },
    ]);
    await allAtOnce(platform, (n) => [
      "POST",
      "/v1/notifications/push-subscription",
      {
        endpoint: "https://push.example/same",
        keys: {
          p256dh:
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
          auth: `BTBZMqHH6r4Tts7J_aSI${n % 10}g`,
        },
      },
    ]);
    const { json } = await platform.api("GET", "/v1/projects/shop/variables?limit=100");
    assert.equal(json.items.length, WRITERS);
    const subscriptions = await platform.api("GET", "/v1/notifications/push-subscription");
    assert.equal(subscriptions.json.items.length, 1);
  }));
