import assert from "node:assert/strict";
import fc from "fast-check";
import type { MemoryBody } from "../messages/mod.ts";
import { BodyPool } from "./body_pool.ts";
import { type BodyPlace, CHUNK_BYTES, pooledBytes, PoolReader, sharePool } from "./pool_memory.ts";

const CHUNKS = 40;

const bodies = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 3 * CHUNK_BYTES }),
  fc.uint8Array({ maxLength: 3 * CHUNK_BYTES }).map((bytes): MemoryBody => bytes.slice()),
);
const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ type: fc.constant("put" as const), body: bodies }) },
    fc.record({
      type: fc.constant("free" as const),
      at: fc.nat(CHUNKS),
      times: fc.integer({ min: 1, max: 2 }),
    }),
  ),
  { maxLength: 60 },
);

const asBytes = (body: MemoryBody) =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

Deno.test("a pool has what was put into it until it is freed, and then never again", () =>
  fc.assert(fc.property(steps, (given) => {
    const memory = sharePool(CHUNKS * CHUNK_BYTES);
    const pool = new BodyPool(memory);
    const reader = new PoolReader(memory);
    const kept: { readonly place: BodyPlace; readonly body: MemoryBody }[] = [];
    const freed: BodyPlace[] = [];
    for (const step of given) {
      if (step.type === "put") {
        const fits = pool.freeBytes >= pooledBytes(step.body.length);
        const place = pool.put(step.body);
        assert.equal(place !== undefined, fits);
        if (place !== undefined) kept.push({ place, body: step.body });
      } else {
        const [gone] = kept.splice(step.at, 1);
        if (gone === undefined) continue;
        for (let time = 0; time < step.times; time++) pool.free(gone.place);
        if (gone.body.length > 0) freed.push(gone.place);
      }
      for (const { place, body } of kept) {
        assert.deepEqual(asBytes(reader.read(structuredClone(place))!), asBytes(body));
      }
      for (const place of freed) assert.equal(reader.read(place), undefined);
    }
    const used = kept.reduce((sum, { body }) => sum + pooledBytes(body.length), 0);
    assert.equal(pool.freeBytes, CHUNKS * CHUNK_BYTES - used);
  })));

Deno.test("a pool gives short ASCII as a string, and everything else as bytes", () => {
  const pool = new BodyPool(sharePool(1024 * 1024));
  const kindOf = (body: MemoryBody) => typeof pool.read(pool.put(body)!);
  assert.equal(kindOf("<h1>Menu</h1>"), "string");
  assert.equal(kindOf(new TextEncoder().encode("<h1>Menu</h1>")), "string");
  assert.equal(kindOf(new TextEncoder().encode("<h1>Menü</h1>")), "object");
  assert.equal(kindOf(new Uint8Array(100_000).fill(97)), "object");
  assert.equal(kindOf("a".repeat(100_000)), "object");
});

/** Reads places that another thread frees and fills again, until it is told to stop. */
const READER = `
import { PoolReader } from ${JSON.stringify(new URL("./pool_memory.ts", import.meta.url).href)};
let reader, whole = 0, gone = 0;
onmessage = ({ data }) => {
  if (data === "end") return postMessage({ whole, gone });
  reader ??= new PoolReader(data.memory);
  for (const place of data.places) {
    for (let time = 0; time < 20; time++) {
      const body = reader.read(place);
      if (body === undefined) gone++;
      else if (body === body[0].repeat(place.length)) whole++;
      else return postMessage({ torn: body });
    }
  }
  postMessage("next");
};
postMessage("next");
`;

Deno.test("a thread that reads what another one frees gets all of a body or nothing", async () => {
  const memory = sharePool(16 * 30 * CHUNK_BYTES);
  const pool = new BodyPool(memory);
  const url = URL.createObjectURL(new Blob([READER], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  let character = 0;
  const make = () => {
    const letter = String.fromCharCode(97 + character++ % 26);
    return pool.put(letter.repeat(29 * CHUNK_BYTES + 7))!;
  };
  const places = Array.from({ length: 16 }, make);
  /** Frees and fills the places one after the other, some time after the reader has begun. */
  const replaceAll = () => {
    const start = performance.now() + Math.random();
    while (performance.now() < start);
    for (let at = places.length - 1; at >= 0; at--) {
      pool.free(places[at]!);
      places[at] = make();
    }
  };
  const seen = await new Promise<{ whole: number; gone: number }>((resolve, reject) => {
    const until = performance.now() + 1000;
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.torn !== undefined) return reject(new Error(`A body is torn: ${data.torn}`));
      if (data !== "next") return resolve(data);
      if (performance.now() > until) return worker.postMessage("end");
      worker.postMessage({ memory, places });
      replaceAll();
    };
  }).finally(() => worker.terminate());
  URL.revokeObjectURL(url);
  assert.ok(seen.gone > 0 && seen.whole > 0, JSON.stringify(seen));
});
