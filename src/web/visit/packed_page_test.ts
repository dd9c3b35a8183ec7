import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { packedPage } from "./packed_page.ts";

const TEXT = "<p>Lamps</p>".repeat(500);
const html = { "content-type": "text/html; charset=utf-8" };
const asked = (accepted: string) =>
  new Request("http://localhost/", { headers: { "accept-encoding": accepted } });

Deno.test("packedPage() compresses a page for clients that accept it", async () => {
  const headers = new Headers({ ...html, "x-frame-options": "DENY" });
  headers.append("set-cookie", "a=1");
  headers.append("set-cookie", "b=2");
  const page = await packedPage(asked("br, gzip"), new Response(TEXT, { status: 404, headers }));
  assert.equal(page.status, 404);
  assert.equal(page.headers.get("content-encoding"), "gzip");
  assert.equal(page.headers.get("vary"), "accept-encoding");
  assert.equal(page.headers.get("x-frame-options"), "DENY");
  assert.deepEqual(page.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(new TextDecoder().decode(gunzipSync(await page.bytes())), TEXT);
});

Deno.test("packedPage() sends everything else unchanged", async () => {
  const plain = [
    [asked("identity"), new Response(TEXT, { headers: html }), TEXT],
    [asked("gzip"), new Response("<p>short</p>", { headers: html }), "<p>short</p>"],
    [asked("gzip"), new Response(TEXT, { headers: { "content-type": "text/csv" } }), TEXT],
    [asked("gzip"), new Response(null, { status: 303, headers: { location: "/" } }), ""],
  ] as const;
  for (const [request, response, text] of plain) {
    const page = await packedPage(request, response);
    assert.equal(page.headers.get("content-encoding"), null);
    assert.equal(await page.text(), text);
  }
});
