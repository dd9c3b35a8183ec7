import assert from "node:assert/strict";
import { explainCaa } from "./caa.ts";

const ZONE: Readonly<Record<string, readonly string[] | undefined>> = {
  "shop.test": ['0 issue "digicert.com"', '0 iodef "mailto:ops@shop.test"'],
  "open.shop.test": ['0 issue "CA.test; accounturi=https://ca.test/1"'],
  "none.shop.test": ['0 issue ";"'],
  "wild.shop.test": ['0 issue "ca.test"', '0 issuewild "digicert.com"'],
  "mail.test": ['0 iodef "mailto:ops@mail.test"'],
  "away.shop.test": undefined,
};

const explain = (hostname: string, identities = ["ca.test"]) =>
  explainCaa(hostname, {
    identities,
    look: (name) => Promise.resolve(name in ZONE ? ZONE[name] : []),
  });

Deno.test("explainCaa() reports the closest CAA records and which record to add", async () => {
  const refused = "The CAA records of shop.test allow only digicert.com, but the platform uses " +
    'ca.test. Add the record: shop.test CAA 0 issue "ca.test"';
  assert.equal(await explain("shop.test"), refused);
  assert.equal(await explain("a.b.shop.test"), refused);
  assert.equal(await explain("*.shop.test"), refused);
  assert.match(await explain("none.shop.test") ?? "", /allow no authority, but the/);
  assert.match(await explain("*.wild.shop.test") ?? "", /CAA 0 issuewild "ca\.test"$/);
});

Deno.test("explainCaa() returns nothing if the records allow the CA or are unknown", async () => {
  for (
    const hostname of ["open.shop.test", "x.open.shop.test", "wild.shop.test", "mail.test"]
  ) assert.equal(await explain(hostname), undefined, hostname);
  for (const hostname of ["nowhere.test", "away.shop.test", "x.away.shop.test"]) {
    assert.equal(await explain(hostname), undefined, hostname);
  }
  assert.equal(await explain("shop.test", []), undefined);
});
