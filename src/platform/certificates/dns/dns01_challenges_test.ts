import assert from "node:assert/strict";
import { Dns01Challenges, type Seen } from "./dns01_challenges.ts";

function bench(seen: readonly Seen[], alias?: string) {
  const calls: string[] = [];
  let asked = 0;
  const challenges = new Dns01Challenges({
    provider: {
      addTxt: (name, value) => Promise.resolve(void calls.push(`add ${name} ${value}`)),
      removeTxt(name, value) {
        calls.push(`remove ${name} ${value}`);
        return value === "stuck" ? Promise.reject(new Error("REFUSED")) : Promise.resolve();
      },
    },
    alias,
    onTrouble: (message) => void calls.push(message),
    look(name) {
      calls.push(`look ${name}`);
      return Promise.resolve(seen[Math.min(asked++, seen.length - 1)]!);
    },
    pauseMs: 1,
    patienceMs: 20,
  });
  return { challenges, calls };
}

Deno.test("a proof is visible once every responding name server has it", async () => {
  const { challenges, calls } = bench([[[], []], [["v"], []], [["other", "v"], ["v"], "TIMEOUT"]]);
  await challenges.add("svc.test", "v");
  const name = "_acme-challenge.svc.test";
  assert.deepEqual(calls, [`add ${name} v`, ...Array(3).fill(`look ${name}`)]);
});

Deno.test("a proof is published at the target of the challenge's CNAME", async () => {
  const { challenges, calls } = bench([[["v"]]], "svc.acme.test");
  await challenges.add("svc.test", "v");
  await challenges.remove("svc.test", "v");
  assert.deepEqual(calls, ["add svc.acme.test v", "look svc.acme.test", "remove svc.acme.test v"]);
});

Deno.test("a proof that cannot be removed is reported", async () => {
  const { challenges, calls } = bench([[["stuck"]]]);
  await challenges.remove("svc.test", "stuck");
  const name = "_acme-challenge.svc.test";
  const trouble = `Cannot remove the TXT record "stuck" from ${name}: Error: REFUSED`;
  assert.deepEqual(calls, [`remove ${name} stuck`, trouble]);
});

for (
  const [what, seen, message] of [
    ["no value", [[]], "saw nothing"],
    ["others' values", [["old"], ["old"]], 'saw "old"'],
    ["a server without the value", [["v"], []], 'saw "v"; nothing'],
    ["no answer", ["SERVFAIL", "SERVFAIL"], "saw SERVFAIL"],
    ["no server", [], "no name server of its zone was found"],
  ] as const
) {
  Deno.test(`a missing proof is reported with the expected and actual values: ${what}`, async () => {
    const { challenges } = bench([seen]);
    await assert.rejects(challenges.add("svc.test", "v"), {
      message: `Expected TXT _acme-challenge.svc.test to be "v"; ${message}`,
    });
  });
}
