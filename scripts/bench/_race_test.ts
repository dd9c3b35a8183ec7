import assert from "node:assert/strict";
import { entrantsOf } from "./_race.ts";

Deno.test("entrantsOf() returns each runner once for each protocol that it serves", () => {
  const host = "bench.localhost";
  const heats = entrantsOf([
    { name: "svc", pid: 7, port: 80, httpsPort: 443, host },
    { name: "server alone", pid: 8, port: 8080, httpsPort: undefined, host },
  ]);
  assert.deepEqual(
    heats.map((heat) => heat.map(({ name, protocolName, port }) => [protocolName, name, port])),
    [
      [["HTTP/1.1", "svc", 80], ["HTTP/1.1", "server alone", 8080]],
      [["HTTP/1.1 over TLS", "svc", 443]],
      [["HTTP/2 over TLS", "svc", 443]],
    ],
  );
  assert.equal(entrantsOf([{ name: "svc", pid: 7, port: 80, host }]).length, 1);
});
