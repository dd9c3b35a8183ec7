import assert from "node:assert/strict";
import { type Place, ProcessPlaces } from "./process_places.ts";

/** A server process that a test makes busy or idle. */
class Process {
  ending = false;
  idleSince: number | undefined;

  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
    place.occupy(this);
  }

  end(): void {
    this.ending = true;
  }

  gone(): void {
    this.#place.release();
  }
}

async function started(places: ProcessPlaces): Promise<Process> {
  const place = await places.take();
  assert.ok(place !== undefined, "There was no slot");
  return new Process(place);
}

Deno.test("ProcessPlaces assigns a slot only once an idle server has exited", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 10_000 });
  const first = await started(places);
  first.idleSince = 5;
  let second: Process | undefined;
  const starting = started(places).then((process) => second = process);
  assert.ok(first.ending);
  await Promise.resolve();
  assert.equal(second, undefined);
  first.gone();
  await starting;
});

Deno.test("ProcessPlaces stops a server that becomes idle while another waits", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 10_000 });
  const first = await started(places);
  const starting = started(places);
  assert.ok(!first.ending, "a server in use stays");
  first.idleSince = 5;
  places.settle();
  assert.ok(first.ending);
  first.gone();
  await starting;
});

Deno.test("ProcessPlaces serves requests in order and drops requests that time out", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 5 });
  const first = await started(places);
  assert.equal(await places.take(), undefined);
  first.gone();
  const next = await started(places);
  const order: string[] = [];
  const line = ["a", "b"].map((name) => started(places).then((p) => (order.push(name), p)));
  next.gone();
  (await line[0])!.gone();
  await line[1];
  assert.deepEqual(order, ["a", "b"]);
});

Deno.test("ProcessPlaces releases a slot only once", async () => {
  const places = new ProcessPlaces({ max: 1, waitMs: 1 });
  const place = await places.take();
  place!.release();
  place!.release();
  await started(places);
  assert.equal(await places.take(), undefined);
});
