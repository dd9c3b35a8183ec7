import assert from "node:assert/strict";
import type { CertificateRecord } from "./certificate.ts";
import { dueOrders, isNearLimit } from "./due_orders.ts";

const DAY = 24 * 60 * 60_000;
const NOW = 100 * DAY;

const record = (hostname: string, more: Partial<CertificateRecord> = {}): CertificateRecord => ({
  hostname,
  issued: null,
  failures: 0,
  error: null,
  dueAt: NOW,
  ...more,
});

const known = (...records: readonly CertificateRecord[]) => ({
  records: new Map(records.map((each) => [each.hostname, each])),
  onDemand: (hostname: string) => hostname.endsWith(".svc.test"),
  now: NOW,
});

const issued = (chain: string, notBefore: number) => ({
  chain,
  key: { keyId: "k", nonce: "n", data: "d" } as never,
  notBefore,
  notAfter: NOW + DAY,
});

const key = (host: string) => `${host}.svc.test`;
const held = (host: string, more: Partial<CertificateRecord> = {}) =>
  record(key(host), { issued: issued(host, NOW - 80 * DAY), ...more });

Deno.test("dueOrders() starts with the hosts that a client is waiting for, and adds some others", () => {
  const records = known(
    record(key("asked")),
    held("due"),
    held("later", { dueAt: NOW + 1 }),
    record(key("failed"), { failures: 1 }),
    record("later.example", { dueAt: NOW + 1 }),
    record("gone.example"),
  );
  const hosts = ["asked", "due", "later", "failed", "n1", "n2", "n3", "n4", "n5"].map(key);
  assert.deepEqual(dueOrders(["shop.example", "later.example"], hosts, records), [
    ["asked", "n1", "n2", "n3", "n4"].map(key),
    ["shop.example"],
    [key("failed")],
    [key("due")],
  ]);
});

Deno.test("dueOrders() combines at most fifty hosts, six hours after the last such order", () => {
  const hosts = Array.from({ length: 120 }, (_, at) => key(`h${at}`));
  const lengths = (at: number) =>
    dueOrders([], hosts, known(held("last", { issued: issued("c", at), dueAt: NOW + 1 })))
      .map(({ length }) => length);
  assert.deepEqual(lengths(NOW - DAY), [50, 50, 20]);
  assert.deepEqual(lengths(NOW - DAY / 8), []);
});

Deno.test("isNearLimit() counts the on-demand certificates of a week, not their names", () => {
  const names = (count: number, chain: (at: number) => string, at = NOW - DAY) =>
    Array.from(
      { length: count },
      (_, each) => record(`h${each}.svc.test`, { issued: issued(chain(each), at) }),
    );
  assert.equal(isNearLimit(known(...names(100, () => "one"))), false);
  assert.equal(isNearLimit(known(...names(39, String))), false);
  assert.equal(isNearLimit(known(...names(40, String))), true);
  assert.equal(isNearLimit(known(...names(40, String, NOW - 8 * DAY))), false);
});
