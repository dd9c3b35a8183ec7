import assert from "node:assert/strict";
import { createClient } from "./client.ts";
import { fetchOctets, queryEvents, readLines } from "./query_events.ts";
import { endpoints } from "../contract/endpoints.ts";

const PARAMS = { project: "0199e2e8-5f0f-7e11-8a33-0242ac120002", database: "shop" };

/** Returns a stream that delivers each of these pieces in a separate read. */
function streamOf(...pieces: readonly (string | Uint8Array | Error)[]) {
  const rest = [...pieces];
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Error) controller.error(piece);
      else {controller.enqueue(
          typeof piece === "string"
            ? new TextEncoder().encode(piece)
            : piece as Uint8Array<ArrayBuffer>,
        );}
    },
  }, { highWaterMark: 0 });
}

/** Returns a client whose platform responds with this body. */
function clientWith(body: ReadableStream<Uint8Array>, asked: Request[] = []) {
  const answer: typeof fetch = (input, init) => {
    asked.push(new Request(input, init));
    return Promise.resolve(new Response(body));
  };
  return createClient({ baseUrl: "http://svc.test", token: "key", fetch: answer });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const COLUMNS = '{"type":"columns","columns":[{"name":"a","type":"int4"}]}';
const ROWS = '{"type":"rows","rows":[["1"],[null]]}';
const DONE = '{"type":"complete","command":"SELECT 2"}';

Deno.test("readLines() joins lines and characters split across reads", async () => {
  const bytes = new TextEncoder().encode("é\n日本\n\nc");
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
  assert.deepEqual(await collect(readLines(streamOf(...pieces))), ["é", "日本", "c"]);
});

Deno.test("readLines() refuses a line that is too long", async () => {
  await assert.rejects(collect(readLines(streamOf("abc", "def"), 5)), RangeError);
});

Deno.test("queryEvents() sends the SQL and yields each event", async () => {
  const asked: Request[] = [];
  const client = clientWith(streamOf(`${COLUMNS}\n${ROWS}`, `\n${DONE}\n`), asked);
  const events = await collect(queryEvents(client, { params: PARAMS, body: { sql: "select" } }));
  assert.deepEqual(events.map(({ type }) => type), ["columns", "rows", "complete"]);
  assert.deepEqual(await asked[0]!.json(), { sql: "select" });
  assert.equal(
    new URL(asked[0]!.url).pathname,
    `/v1/projects/${PARAMS.project}/databases/shop/query`,
  );
});

Deno.test("queryEvents() detects a response that is cut off in any way", async () => {
  for (const end of [[], [new TypeError("connection reset")]]) {
    const client = clientWith(streamOf(`${COLUMNS}\n${ROWS}\n`, ...end));
    await assert.rejects(
      collect(queryEvents(client, { params: PARAMS, body: { sql: "select" } })),
      { name: "UnreachableError" },
    );
  }
});

Deno.test("queryEvents() refuses anything but an event", async () => {
  for (const line of ["{", '{"type":"rows","rows":[[1]]}', '{"type":"more"}']) {
    const client = clientWith(streamOf(`${line}\n`));
    await assert.rejects(
      collect(queryEvents(client, { params: PARAMS, body: { sql: "select" } })),
      { name: "ContractError" },
    );
  }
});

Deno.test("queryEvents() reads more data only as its events are consumed", async () => {
  let reads = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      reads++;
      controller.enqueue(new TextEncoder().encode(reads === 1 ? `${COLUMNS}\n` : `${ROWS}\n`));
    },
  }, { highWaterMark: 0 });
  let taken = 0;
  for await (const _ of queryEvents(clientWith(endless), { params: PARAMS, body: { sql: "x" } })) {
    if (++taken === 5) break;
  }
  assert.ok(reads < 50, `read ${reads} pieces for ${taken} events`);
});

Deno.test("fetchOctets() sends bytes unchanged, and a branch in the query", async () => {
  const asked: Request[] = [];
  const stream = await fetchOctets(clientWith(streamOf("ok"), asked), endpoints.importDatabase, {
    params: PARAMS,
    query: { branch: "feature/a" },
    octets: streamOf("select 1;"),
  });
  assert.equal(await new Response(stream).text(), "ok");
  assert.equal(new URL(asked[0]!.url).search, "?branch=feature%2Fa");
  assert.equal(await asked[0]!.text(), "select 1;");
});
