import assert from "node:assert/strict";
import fc from "fast-check";
import { EVENT_NAMES, type EventData, type EventName } from "../../contract/events.ts";
import { describeEvent, MAX_BODY, MAX_TITLE } from "./describe_event.ts";

const GOLDEN = new URL("../../../fixtures/notifications/words.json", import.meta.url);
const at = { origin: "https://svc.test" };

/** Values that every event takes where it knows the field. */
const FIELDS: EventData = {
  project: "blog",
  environment: "production",
  branch: "main",
  commitSha: "0123456789abcdef0123456789abcdef01234567",
  error: "Build command exited with code 1",
  reason: "No answer in 10 seconds",
  url: "https://blog.svc.test/",
  amount: 49.5,
  currency: "EUR",
  invoiceId: "INV-7",
  dueDate: "2026-03-31",
  cardLast4: "4242",
  cardBrand: "Visa",
  expiresAt: "04/2026",
  plan: "Pro",
  endsAt: "2026-04-01",
  startsAt: "2026-03-31",
  resource: "Bandwidth",
  used: 90,
  limit: 100,
  unit: "GB",
  detail: "Something happened",
  address: "192.0.2.1",
  country: "NL",
};

Deno.test("describeEvent() puts each event into words, with all data and with none", async () => {
  const words = Object.fromEntries(
    EVENT_NAMES.map((event) => [event, {
      full: describeEvent({ event, data: FIELDS }, at),
      bare: describeEvent({ event, data: {} }, at),
    }]),
  );
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.mkdir(new URL(".", GOLDEN), { recursive: true });
    await Deno.writeTextFile(GOLDEN, JSON.stringify(words, null, 2) + "\n");
  }
  assert.deepEqual(words, JSON.parse(await Deno.readTextFile(GOLDEN)));
});

Deno.test("describeEvent() leaves out what steers a terminal or turns text around", () => {
  const { title } = describeEvent(
    { event: "deployment.live", data: { project: "a\u001b[31mb\n\u202ec" } },
    at,
  );
  assert.equal(title, "a [31mb c is live");
});

Deno.test("describeEvent() falls back to the name where the data is of another shape", () => {
  const { title, actionUrl } = describeEvent(
    { event: "billing.payment_failed", data: { amount: "much" } },
    at,
  );
  assert.equal(title, "Billing: payment failed");
  assert.equal(actionUrl, "https://svc.test/notifications?category=Billing");
});

Deno.test("describeEvent() falls back to the name where nothing can be seen", () => {
  const data = { title: "\u200b", detail: "\u0007" };
  const { title, body } = describeEvent({ event: "system.feature_announcement", data }, at);
  assert.equal(title, "System: feature announcement");
  assert.equal(body, "system.feature_announcement");
});

Deno.test("describeEvent() opens the page of the deployment that it is about", () => {
  const id = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02";
  const opened = (event: EventName, data: EventData = {}) =>
    describeEvent({ event, data: { deploymentId: id, ...data } }, at).actionUrl;
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

Deno.test("describeEvent() opens nothing but web addresses", () => {
  const data = { url: "javascript:alert(1)" };
  const { actionUrl } = describeEvent({ event: "deployment.live", data }, at);
  assert.equal(actionUrl, "https://svc.test/notifications?category=Deployment");
});

Deno.test("describeEvent() is bounded, of one line and well-formed, whatever the data", () => {
  const event = fc.constantFrom(...EVENT_NAMES) as fc.Arbitrary<EventName>;
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.double(),
    fc.constant(null),
  );
  const data = fc.dictionary(fc.constantFrom(...Object.keys(FIELDS)), value);
  fc.assert(fc.property(event, data, (name, given) => {
    const { title, body, actionUrl } = describeEvent({ event: name, data: given }, at);
    assert.ok(title.length > 0 && title.length <= MAX_TITLE);
    assert.ok(body.length > 0 && body.length <= MAX_BODY);
    assert.doesNotMatch(title + body, /\p{Cc}/u);
    assert.ok(actionUrl === null || /^https?:/.test(actionUrl));
  }));
});
