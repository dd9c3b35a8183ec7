import assert from "node:assert/strict";
import {
  approveGrant,
  denyGrant,
  pollGrant,
  REMEMBER_EXPIRED_MS,
  startGrant,
} from "./device_grant.ts";
import type { DeviceGrant } from "./types.ts";

const ISSUED = Date.UTC(2026, 10, 21, 12);
const at = (seconds: number) => ISSUED + seconds * 1000;

const issue = () =>
  startGrant(
    {
      deviceHash: "d",
      userHash: "u",
      clientId: "svc",
      tool: "svc",
      address: "::1",
      country: null,
      scope: "write",
    },
    ISSUED,
  );

const WHO = { userId: "user", workspaceId: "workspace" };

/** Events for a grant, in order: polls with their responses, and decisions. */
type Step =
  | readonly [seconds: number, "poll", told: string]
  | readonly [seconds: number, "approve" | "deny", accepted: boolean];

const forgotten = 300 + REMEMBER_EXPIRED_MS / 1000;

const rows: readonly (readonly [name: string, steps: readonly Step[]])[] = [
  ["issued: a poll before confirmation", [[0, "poll", "pending"], [5, "poll", "pending"]]],
  ["issued: the user confirms", [[0, "poll", "pending"], [3, "approve", true], [
    5,
    "poll",
    "token",
  ]]],
  ["confirmed: the next poll gets the token, however early", [
    [0, "poll", "pending"],
    [0.1, "approve", true],
    [0.2, "poll", "token"],
  ]],
  ["confirmed: the token is issued once", [
    [1, "approve", true],
    [5, "poll", "token"],
    [10, "poll", "unknown"],
  ]],
  ["confirmed at the last moment: the client has a minute to poll", [
    [299.999, "approve", true],
    [359.998, "poll", "token"],
  ]],
  ["confirmed but not fetched in time", [[299, "approve", true], [359, "poll", "expired"]]],
  ["issued: the user denies", [[1, "deny", true], [5, "poll", "denied"], [10, "poll", "denied"]]],
  ["denied: approval comes too late", [[1, "deny", true], [2, "approve", false]]],
  ["approved: denial comes too late", [[1, "approve", true], [2, "deny", false]]],
  ["issued: just before it expires", [[299.999, "poll", "pending"]]],
  ["issued: expires_in elapses", [[300, "poll", "expired"], [300, "approve", false]]],
  ["expired: reported for an hour, then unknown", [
    [forgotten - 0.001, "poll", "expired"],
    [forgotten, "poll", "unknown"],
  ]],
  ["denied, then expired", [[1, "deny", true], [300, "poll", "expired"]]],
];

for (const [name, steps] of rows) {
  Deno.test(`pollGrant() follows a code's life cycle: ${name}`, () => {
    let grant: DeviceGrant | undefined = issue();
    for (const [seconds, what, expected] of steps) {
      if (what === "poll") {
        const { outcome, next } = pollGrant(grant, { now: at(seconds), clientId: "svc" });
        assert.equal(outcome.type, expected, `at ${seconds} s`);
        if (outcome.type === "token") {
          assert.deepEqual(outcome, { type: "token", ...WHO, scope: "write" });
        }
        grant = next;
      } else {
        const next: DeviceGrant | undefined = what === "approve"
          ? approveGrant(grant!, { ...WHO, now: at(seconds) })
          : denyGrant(grant!, at(seconds));
        assert.equal(next !== undefined, expected, `at ${seconds} s`);
        grant = next ?? grant;
      }
    }
  });
}

Deno.test("pollGrant() reports an unknown code", () => {
  assert.deepEqual(pollGrant(undefined, { now: ISSUED, clientId: "svc" }).outcome, {
    type: "unknown",
  });
});

Deno.test("pollGrant() recognizes a code only from the client that started it", () => {
  const grant = issue();
  for (const clientId of ["other", undefined]) {
    const { outcome, next } = pollGrant(grant, { now: at(1), clientId });
    assert.deepEqual([outcome.type, next], ["unknown", grant]);
  }
  const anyone = { ...grant, clientId: null };
  for (const clientId of ["other", undefined]) {
    assert.equal(pollGrant(anyone, { now: at(1), clientId }).outcome.type, "pending");
  }
});
