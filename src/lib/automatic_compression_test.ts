import assert from "node:assert/strict";
import { keepUncompressed } from "./automatic_compression.ts";

const GZIP = { headers: { "accept-encoding": "gzip" } };
const ASKING = new Request("http://localhost/", GZIP);

/** Returns the encoding that the runtime sees on a response, returned directly or as a promise. */
async function encodingOf(make: () => Response, request = ASKING): Promise<string | null> {
  const answers = [make, () => Promise.resolve(make())].map((handler) =>
    keepUncompressed(handler)(request, undefined)
  );
  const [first, second] = (await Promise.all(answers))
    .map(({ headers }) => headers.get("content-encoding"));
  assert.equal(first, second);
  return first ?? null;
}

Deno.test("keepUncompressed() marks responses that the runtime would compress", async () => {
  assert.equal(await encodingOf(() => Response.json({})), "identity");
  assert.equal(await encodingOf(() => new Response("text")), "identity");
});

Deno.test("keepUncompressed() does not change other responses", async () => {
  const headers = { "content-encoding": "br" };
  assert.equal(await encodingOf(() => new Response("text", { headers })), "br");
  assert.equal(await encodingOf(() => Response.redirect("http://localhost/")), null);
  assert.equal(await encodingOf(() => new Response(null, { status: 304 })), null);
  assert.equal(
    await encodingOf(() => new Response("text"), new Request("http://localhost/")),
    null,
  );
});
