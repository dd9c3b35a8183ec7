import { type EventData } from "../../contract/event_data.ts";
import { EVENT_NAMES, type EventName, EVENTS, sampleEventData } from "../../contract/events.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { describeEvent, MAX_BODY, MAX_TITLE } from "./describe_event.ts";

const GOLDEN = new URL("../../../fixtures/notifications/words.json", import.meta.url);
const FACTS = { id: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01", createdAt: 0, workspaceId: null };
const describe = (event: EventName, data: EventData = {}) =>
  describeEvent({ ...FACTS, event, data }, { origin: "https://svc.test" });

/** Returns the text of a notification. */
const wordsOf = ({ title, body, actionUrl }: ReturnType<typeof describe>) => ({
  title,
  body,
  actionUrl,
});

Deno.test("describeEvent() describes each event, with all data and without data", async () => {
  const words = Object.fromEntries(
    EVENT_NAMES.map((event) => [event, {
      full: wordsOf(describe(event, sampleEventData(event))),
      bare: wordsOf(describe(event)),
    }]),
  );
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.mkdir(new URL(".", GOLDEN), { recursive: true });
    await Deno.writeTextFile(GOLDEN, JSON.stringify(words, null, 2) + "\n");
  }
  assert.deepEqual(words, JSON.parse(await Deno.readTextFile(GOLDEN)));
});

Deno.test("describeEvent() omits characters that control terminals or the text direction", () => {
  const { title } = describe("deployment.live", { project: "a\u001b[31mb\n\u202ec" });
  assert.equal(title, "a [31mb c is live");
});

Deno.test("describeEvent() falls back to the name if the data has a different shape", () => {
  const { title, actionUrl } = describe("billing.payment_failed", { amount: "much" });
  assert.equal(title, "Billing: payment failed");
  assert.equal(actionUrl, "https://svc.test/notifications?category=Billing");
});

Deno.test("describeEvent() falls back to the name if nothing is visible", () => {
  const data = { title: "\u200b", detail: "\u0007" };
  const { title, body } = describe("system.feature_announcement", data);
  assert.equal(title, "System: feature announcement");
  assert.equal(body, "system.feature_announcement");
});

Deno.test("describeEvent() links to the page of the event's deployment", () => {
  const id = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02";
  const opened = (event: EventName, data: EventData = {}) =>
    describe(event, { deploymentId: id, ...data }).actionUrl;
  const page = `https://svc.test/deployments/${id}`;
  for (const moment of ["started", "build_failed", "failed", "stopped"] as const) {
    assert.equal(opened(`deployment.${moment}`, { url: "https://blog.svc.test/" }), page);
  }
  assert.equal(opened("health.check_failed"), page);
  assert.equal(
    opened("deployment.live", { url: "https://blog.svc.test/" }),
    "https://blog.svc.test/",
  );
});

Deno.test("describeEvent() links only to web URLs", () => {
  const data = { url: "javascript:alert(1)" };
  const { actionUrl } = describe("deployment.live", data);
  assert.equal(actionUrl, "https://svc.test/notifications?category=Deployment");
});

const FIELDS = [
  ...new Set(EVENT_NAMES.flatMap((event) => Object.keys(sampleEventData(event)))),
];

Deno.test("sampleEventData() matches the event's schema", () => {
  for (const event of EVENT_NAMES) {
    const { error } = EVENTS[event].data.strict().safeParse(sampleEventData(event));
    assert.equal(error, undefined, event);
  }
});

Deno.test("describeEvent() returns one short and well-formed line for any data", () => {
  const event = fc.constantFrom(...EVENT_NAMES) as fc.Arbitrary<EventName>;
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.double(),
    fc.constant(null),
  );
  const data = fc.dictionary(fc.constantFrom(...FIELDS), value);
  fc.assert(fc.property(event, data, (name, given) => {
    const { title, body, actionUrl } = describe(name, given);
    assert.ok(title.length > 0 && title.length <= MAX_TITLE);
    assert.ok(body.length > 0 && body.length <= MAX_BODY);
    assert.doesNotMatch(title + body, /\p{Cc}/u);
    assert.ok(actionUrl === null || /^https?:/.test(actionUrl));
  }));
});
