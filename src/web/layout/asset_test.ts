import assert from "node:assert/strict";
import { makeAsset } from "./asset.ts";

const TEXT = "body { color: green } ".repeat(50);
const show = makeAsset("text/css; charset=utf-8", () => TEXT);
const get = (accepted?: string) =>
  show({
    request: new Request("http://localhost/assets/a.css", {
      headers: accepted === undefined ? {} : { "accept-encoding": accepted },
    }),
  });

for (const accepted of ["gzip", "gzip, deflate", "br;q=1, GZIP;q=0.5", "deflate , gzip"]) {
  Deno.test(`makeAsset() compresses for "${accepted}"`, async () => {
    const { headers, body } = await get(accepted);
    assert.equal(headers.get("content-encoding"), "gzip");
    assert.equal(headers.get("vary"), "accept-encoding");
    const text = await new Response(body!.pipeThrough(new DecompressionStream("gzip"))).text();
    assert.equal(text, TEXT);
  });
}

for (const accepted of [undefined, "", "br", "gzip;q=0", "gzip;q=0.0, br", "x-gzip"]) {
  Deno.test(`makeAsset() does not compress for ${JSON.stringify(accepted)}`, async () => {
    const answer = await get(accepted);
    assert.equal(answer.headers.get("content-encoding"), null);
    assert.equal(await answer.text(), TEXT);
  });
}
