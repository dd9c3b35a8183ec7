import assert from "node:assert/strict";
import { SingleFlight } from "./single_flight.ts";

Deno.test("SingleFlight.run() shares running work by key, and starts again when it has settled", async () => {
  const flights = new SingleFlight<number>();
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  let started = 0;
  const work = () => gates[started++]!.promise;
  const [first, second, other] = [
    flights.run("a", work),
    flights.run("a", work),
    flights.run("b", work),
  ];
  assert.equal(started, 2);
  gates[0]!.resolve(1);
  gates[1]!.resolve(2);
  assert.deepEqual(await Promise.all([first, second, other]), [1, 1, 2]);
  const again = flights.run("a", work);
  gates[2]!.resolve(3);
  assert.equal(await again, 3);
});

Deno.test("SingleFlight.run() forgets failed work", async () => {
  const flights = new SingleFlight<string>();
  await assert.rejects(flights.run("a", () => Promise.reject(new Error("no"))), /no/);
  assert.equal(await flights.run("a", () => Promise.resolve("yes")), "yes");
});
