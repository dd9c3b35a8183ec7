import assert from "node:assert/strict";
import type { Random } from "../../../lib/clock.ts";
import { HostHealth } from "./host_health.ts";

const most: Random = (count) => new Uint8Array(count).fill(255);

function setUp() {
  const clock = { at: Date.UTC(2026, 0, 1) };
  return { clock, health: new HostHealth(() => clock.at, most) };
}

Deno.test("HostHealth pauses a host after three failures in a row, for longer each time", () => {
  const { clock, health } = setUp();
  health.trouble("a");
  health.trouble("a");
  assert.equal(health.wait("a"), 0);
  health.trouble("a");
  const first = health.wait("a");
  assert.ok(first > 1900 && first <= 2000, String(first));
  assert.equal(health.wait("b"), 0, "others are not affected");
  health.trouble("a");
  assert.equal(health.wait("a"), first, "a request that was already in progress changes nothing");
  clock.at += 2000;
  assert.equal(health.wait("a"), 0);
  health.trouble("a");
  assert.ok(health.wait("a") > 3900);
});

Deno.test("HostHealth lets one message test whether a host is back", () => {
  const { clock, health } = setUp();
  for (let count = 0; count < 3; count++) health.trouble("a");
  clock.at += 2000;
  assert.equal(health.wait("a"), 0);
  health.begin("a");
  assert.equal(health.wait("a"), 2000, "the others wait for the first");
  health.unknown("a");
  assert.equal(health.wait("a"), 0, "there was no result, so another message can test the host");
  health.begin("a");
  health.well("a");
  assert.equal(health.wait("a"), 0);
  health.begin("a");
  assert.equal(health.wait("a"), 0, "a healthy host accepts many");
});

Deno.test("HostHealth respects a host's Retry-After, up to an hour", () => {
  const { health } = setUp();
  health.trouble("a", 30_000);
  assert.equal(health.wait("a"), 30_000);
  health.trouble("b", 100 * 60 * 60_000);
  assert.equal(health.wait("b"), 60 * 60_000);
});

Deno.test("HostHealth counts only consecutive failures", () => {
  const { health } = setUp();
  for (let count = 0; count < 10; count++) {
    health.trouble("a");
    health.trouble("a");
    health.well("a");
  }
  assert.equal(health.wait("a"), 0);
});
