import assert from "node:assert/strict";
import { MAX_VITAL_PATH } from "../../traffic/mod.ts";
import { MAX_BEACON_BYTES, readBeacon } from "./read_beacon.ts";

const read = (body: string) => readBeacon(new Response(body).body);

Deno.test("readBeacon() accepts the script's data, and shortens long paths", async () => {
  assert.deepEqual(await read('{"p":"/a","lcp":1200,"cls":0.05}'), {
    path: "/a",
    vitals: { lcp: 1200, cls: 50 },
  });
  const long = await read(JSON.stringify({ p: `/${"a".repeat(500)}` }));
  assert.equal(typeof long === "object" && long.path.length, MAX_VITAL_PATH);
});

const REFUSED: readonly (readonly [string, string])[] = [
  ["an empty body", ""],
  ["invalid JSON", "{"],
  ["a list", "[]"],
  ["no path", '{"lcp":1}'],
  ["a URL on another site", '{"p":"https://x.example/"}'],
  ["a path with markup", '{"p":"/<b>\\n"}'],
  ["a negative time", '{"p":"/","lcp":-1}'],
  ["a time as a string", '{"p":"/","lcp":"1"}'],
  ["a time of more than a day", '{"p":"/","ttfb":1e9}'],
  ["an unknown field", '{"p":"/","user":"ada"}'],
];

for (const [name, body] of REFUSED) {
  Deno.test(`readBeacon() refuses ${name}`, async () => assert.equal(await read(body), 400));
}

Deno.test("readBeacon() refuses long bodies without reading the rest", async () => {
  let chunks = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      chunks++;
      controller.enqueue(new Uint8Array(MAX_BEACON_BYTES));
    },
  });
  assert.equal(await readBeacon(endless), 413);
  assert.ok(chunks < 5, `${chunks} chunks`);
});
