import { EVENT_CATEGORIES } from "../../../contract/events.ts";
import assert from "node:assert/strict";
import { preferencesOf, preferencesRecord, withCategory, withChannel } from "./preferences.ts";

const BY_EMAIL = { method: "email", hasBrowser: false } as const;

/** Spec, "Notification preferences". */
const MINIMUM = {
  Deployment: "NORMAL",
  Health: "HIGH",
  Billing: "NORMAL",
  Security: "LOW",
  System: "NORMAL",
};

for (const method of ["email", "messenger"] as const) {
  Deno.test(`preferencesOf() returns the defaults for a person who signed up by ${method}`, () => {
    const { categories } = preferencesOf({ method, hasBrowser: false }, undefined);
    assert.deepEqual(categories.map(({ category }) => category), EVENT_CATEGORIES);
    for (const { category, channels, minimumPriority, quietHours } of categories) {
      assert.equal(minimumPriority, MINIMUM[category]);
      assert.equal(quietHours, null);
      assert.equal(channels.in_app, true);
      assert.equal(channels.email, method === "email");
      assert.equal(channels.messenger, method === "messenger");
      assert.equal(channels.push, false);
    }
  });
}

Deno.test("preferencesOf() turns on push for a person who subscribed a browser", () => {
  const { categories } = preferencesOf({ ...BY_EMAIL, hasBrowser: true }, undefined);
  for (const { channels } of categories) assert.equal(channels.push, true);
});

Deno.test("withChannel() changes one channel of every category, and is idempotent", () => {
  const change = { channel: "email", enabled: false } as const;
  const once = withChannel(preferencesOf(BY_EMAIL, undefined), change);
  for (const each of Object.values(once.categories)) {
    assert.equal(each.channels.email, false);
    assert.equal(each.channels.in_app, true);
  }
  assert.deepEqual(withChannel(preferencesOf(BY_EMAIL, once), change), once);
});

Deno.test("withCategory() changes only the given fields", () => {
  const quietHours = { start: "22:00", end: "06:00" };
  const before = preferencesOf(BY_EMAIL, undefined);
  const quiet = withCategory(before, { category: "Health", quietHours });
  const after = withCategory(preferencesOf(BY_EMAIL, quiet), {
    category: "Health",
    channels: { messenger: true },
    minimumPriority: "LOW",
  });
  assert.deepEqual(after.categories.Health, {
    category: "Health",
    channels: { email: true, in_app: true, messenger: true, push: false },
    minimumPriority: "LOW",
    quietHours,
  });
  assert.deepEqual(after.categories.Billing, before.categories[2]);
  const none = withCategory(preferencesOf(BY_EMAIL, after), {
    category: "Health",
    quietHours: null,
  });
  assert.equal(none.categories.Health?.quietHours, null);
});

Deno.test("withCategory() can limit notifications to a person's own deployments", () => {
  const before = preferencesOf(BY_EMAIL, undefined);
  assert.ok(before.categories.every(({ deployments }) => deployments === undefined));
  const own = withCategory(before, { category: "Deployment", deployments: "own" });
  assert.equal(own.categories.Deployment?.deployments, "own");
  const later = withCategory(preferencesOf(BY_EMAIL, own), {
    category: "Deployment",
    minimumPriority: "LOW",
  });
  assert.equal(later.categories.Deployment?.deployments, "own");
});

Deno.test("preferencesOf() reads records that are older than a channel, and uses the channel's default", () => {
  const stored = preferencesRecord.parse({
    categories: {
      Health: {
        category: "Health",
        channels: { email: false, in_app: false },
        minimumPriority: "LOW",
        quietHours: null,
      },
    },
  });
  const { categories } = preferencesOf({ ...BY_EMAIL, hasBrowser: true }, stored);
  assert.deepEqual(categories.find(({ category }) => category === "Health")?.channels, {
    email: false,
    in_app: false,
    messenger: false,
    push: true,
  });
});
