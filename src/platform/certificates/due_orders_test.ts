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

Deno.test("dueOrders() joins names on demand until they fail, and takes all others alone", () => {
  const orders = dueOrders(
    ["shop.example", "later.example"],
    known(
      record("a.svc.test"),
      record("b.svc.test"),
      record("failed.svc.test", { failures: 1 }),
      record("later.svc.test", { dueAt: NOW + 1 }),
      record("later.example", { dueAt: NOW + 1 }),
      record("gone.example"),
    ),
  );
  assert.deepEqual(orders, [["shop.example"], ["failed.svc.test"], ["a.svc.test", "b.svc.test"]]);
});

Deno.test("dueOrders() puts at most fifty names into an order", () => {
  const names = Array.from({ length: 120 }, (_, at) => record(`h${at}.svc.test`));
  assert.deepEqual(dueOrders([], known(...names)).map(({ length }) => length), [50, 50, 20]);
});

Deno.test("isNearLimit() counts the certificates on demand of a week, not their names", () => {
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
