import assert from "node:assert/strict";
import { announcesContent, withoutBody } from "./announced_content.ts";

for (
  const [fields, wanted] of [
    [{}, false],
    [{ "content-length": "0" }, false],
    [{ "content-length": "2" }, true],
    [{ "transfer-encoding": "chunked" }, true],
  ] as const
) {
  Deno.test(`announcesContent() is ${wanted} for ${JSON.stringify(fields)}`, () => {
    assert.equal(announcesContent(new Headers(fields)), wanted);
  });
}

Deno.test("withoutBody() returns a request whose clones have no body either", async () => {
  const request = withoutBody(new Request("http://a.test/", { method: "POST", body: "" }));
  assert.equal(request.body, null);
  assert.equal(request.clone().body, null);
  assert.equal(await request.text(), "");
});
