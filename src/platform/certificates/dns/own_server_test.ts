import assert from "node:assert/strict";
import { PendingChallenges } from "../challenges.ts";
import { delegationsOf, ownServer } from "./own_server.ts";

const CHALLENGE = "_acme-challenge.svc.test";

function bench(alias: string | undefined, found: Readonly<Record<string, readonly string[]>>) {
  const records = new PendingChallenges();
  const delegations = delegationsOf("svc.test", { alias, nameServers: ["ns.svc.test"] });
  const provider = ownServer({
    records,
    delegations,
    look: (name, type) => Promise.resolve(found[`${type} ${name}`] ?? "SERVFAIL"),
  });
  return { records, provider };
}

for (
  const [what, alias, found] of [
    ["directly", undefined, { [`NS ${CHALLENGE}`]: ["ns2.other.test", "ns.svc.test"] }],
    ["by a CNAME", "acme.test", {
      [`CNAME ${CHALLENGE}`]: ["acme.test"],
      "NS acme.test": ["ns.svc.test"],
    }],
  ] as const
) {
  Deno.test(`ownServer() publishes proofs delegated ${what}`, async () => {
    const { records, provider } = bench(alias, found);
    const name = alias ?? CHALLENGE;
    await provider.addTxt(name, "proof");
    assert.deepEqual(records.txtOf(name), ["proof"]);
    assert.deepEqual(records.txtOf("other.test"), []);
    assert.equal(records.answer(`http://svc.test/.well-known/acme-challenge/proof`), undefined);
    await provider.removeTxt(name, "proof");
    assert.deepEqual(records.txtOf(name), []);
  });
}

for (
  const [alias, found, wanted] of [
    [undefined, { [`NS ${CHALLENGE}`]: [] }, `NS ${CHALLENGE} to be ns.svc.test; saw nothing`],
    [undefined, {}, `NS ${CHALLENGE} to be ns.svc.test; saw SERVFAIL`],
    [
      "acme.test",
      { [`CNAME ${CHALLENGE}`]: ["old.test"] },
      `CNAME ${CHALLENGE} to be acme.test; saw "old.test"`,
    ],
    [
      "acme.test",
      { [`CNAME ${CHALLENGE}`]: ["acme.test"], "NS acme.test": ["ns.old.test"] },
      'NS acme.test to be ns.svc.test; saw "ns.old.test"',
    ],
  ] as const
) {
  Deno.test(`ownServer() names the missing record: ${wanted}`, async () => {
    const { records, provider } = bench(alias, found);
    await assert.rejects(provider.addTxt(alias ?? CHALLENGE, "proof"), {
      message: `Expected ${wanted}. Set this record at your DNS provider`,
    });
    assert.deepEqual(records.txtOf(alias ?? CHALLENGE), []);
  });
}
