import assert from "node:assert/strict";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { EdgeEndpoint } from "./edge_endpoint.ts";
import { EDGE_PATHS } from "./wire.ts";

Deno.test("an edge does not get a certificate that is also valid for the API", async () => {
  const pairs = new Map([
    ["shop.example", await makeKeyPair("shop.example")],
    ["pay.example", await makeKeyPair("wildcard", ["DNS:*.example"])],
  ]);
  const troubles: string[] = [];
  const onTrouble = (message: string) => void troubles.push(message);
  const parts = {
    registry: { find: () => Promise.resolve("far"), seen: () => {} },
    apiNames: ["svc.example"],
    certificateOf: (hostname: string) => pairs.get(hostname),
  };
  const { answer } = new EdgeEndpoint({ onTrouble } as never, parts as never);
  const ask = async (hostname: string) => {
    const url = `http://svc.example${EDGE_PATHS}certificates/${hostname}?key=${"09".repeat(32)}`;
    const headers = { authorization: "Bearer svce_1" };
    return (await answer(new Request(url, { headers }), "192.0.2.1")).status;
  };
  assert.deepEqual([await ask("shop.example"), await ask("pay.example")], [200, 404]);
  assert.equal(await ask("pay.example"), 404);
  assert.deepEqual(troubles, [
    "Front edges do not get the certificate of *.example: it is also valid for svc.example, " +
    "where the API responds",
  ]);
});
