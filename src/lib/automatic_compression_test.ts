import assert from "node:assert/strict";
import { compressesByItself, keepUncompressed } from "./automatic_compression.ts";

for (
  const [version, compresses] of Object.entries({
    "1.46.3": true,
    "2.6.10": true,
    "2.7.14": true,
    "2.9.0": false,
    "2.10.0": false,
    "2.9.6+abc": false,
    "3.0.0-rc.1": false,
  })
) {
  Deno.test(`compressesByItself() of Deno ${version}`, () => {
    assert.equal(compressesByItself(version), compresses);
  });
}

const GZIP = { headers: { "accept-encoding": "gzip" } };
const ASKING = new Request("http://localhost/", GZIP);

/** The encoding that an old runtime sees on a response, made at once or later. */
async function encodingOf(make: () => Response, request = ASKING): Promise<string | null> {
  const answers = [make, () => Promise.resolve(make())].map((handler) =>
    keepUncompressed(handler, "2.6.10")(request, undefined)
  );
  const [first, second] = (await Promise.all(answers))
    .map(({ headers }) => headers.get("content-encoding"));
  assert.equal(first, second);
  return first ?? null;
}

Deno.test("keepUncompressed() marks answers that an old runtime would compress", async () => {
  assert.equal(await encodingOf(() => Response.json({})), "identity");
  assert.equal(await encodingOf(() => new Response("text")), "identity");
});

Deno.test("keepUncompressed() leaves others as they are", async () => {
  const headers = { "content-encoding": "br" };
  assert.equal(await encodingOf(() => new Response("text", { headers })), "br");
  assert.equal(await encodingOf(() => Response.redirect("http://localhost/")), null);
  assert.equal(await encodingOf(() => new Response(null, { status: 304 })), null);
  assert.equal(
    await encodingOf(() => new Response("text"), new Request("http://localhost/")),
    null,
  );
});

Deno.test("keepUncompressed() costs a new runtime nothing", () => {
  const handler = () => new Response("text");
  assert.equal(keepUncompressed(handler, "2.9.6"), handler);
});
