import assert from "node:assert/strict";
import { ServerAddress } from "./address.ts";

Deno.test("advertised() gives the deployment's port first, then a free one for each server", () => {
  const address = new ServerAddress("/s", {
    port: 8080,
    host: "127.0.0.1",
    others: true,
    listening() {},
  });
  const paths = Array.from({ length: 3 }, () => address.take(address.advertised(0).port));
  assert.deepEqual(paths, ["/s", "/s-49152", "/s-49153"]);
  address.release("/s-49152");
  assert.equal(address.advertised().port, 49_152);
});

Deno.test("advertised() gives one port where servers may listen on no other", () => {
  const address = new ServerAddress("/s", { port: 8080, host: "127.0.0.1", listening() {} });
  assert.equal(address.take(address.advertised(0).port), "/s");
  assert.equal(address.take(address.advertised(0).port), undefined);
});
