/** A front edge with HTTPS gets certificates only for the hosts that it serves. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { secureGet } from "../../helpers/domains.ts";
import { addEdge } from "../../helpers/front_edge.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start } from "../../helpers/platform.ts";

const BASE = "svc.test";
const HOST = `shop.${BASE}`;
const pebbleProgram = await findPebble();

Deno.test({
  name: "an edge serves HTTPS with certificates encrypted for it until its key is revoked",
  ignore: pebbleProgram === undefined,
  async fn() {
    await using cleanUp = new AsyncDisposableStack();
    const folder = await makeTestFolder("svc-edge-certificates-");
    cleanUp.defer(() => Deno.remove(folder, { recursive: true }));
    const here = { A: ["127.0.0.1"] };
    const dns = await startDns({ [BASE]: here, [HOST]: here });
    cleanUp.defer(() => dns.close());
    const port = unusedPort();
    const { directoryUrl, serverCaFile, rootCa, close } = await startPebble(pebbleProgram!, {
      folder,
      dnsServer: dns.server,
      httpPort: port,
    });
    cleanUp.defer(close);
    const ca = join(folder, "root.pem");
    await Deno.writeTextFile(ca, rootCa);
    const platform = await start(join(folder, "data"), {
      port,
      httpsPort: 0,
      baseDomain: BASE,
      dnsServer: dns.server,
      https: true,
      acme: { directoryUrl, serverCaFile },
    });
    cleanUp.defer(() => platform.shutdown());
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "sealed" } });
    const edge = await addEdge(platform, "far", { args: ["--https-port", "0"] });
    cleanUp.defer(() => edge.kill());
    const get = (host: string, at = edge.httpsPort!) => secureGet(at, host, { ca });

    const refused = /curl: \(35\)/;
    await until(() => get(HOST), (text) => text === "sealed 2 200", 30_000);
    // The platform's own host has a certificate, but the edge does not get that certificate.
    await until(() => get(BASE, platform.httpsPort), (text) => !refused.test(text), 30_000);
    for (const host of [BASE, `none.${BASE}`]) assert.match(await get(host), refused);

    const ask = async (key: string, host: string) => {
      const at = `http://127.0.0.1:${port}/_svc/edges/1/certificates/${host}?key=${
        "09".repeat(32)
      }`;
      const response = await fetch(at, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, text: await response.text() };
    };
    const sealed = await ask(edge.key, HOST);
    assert.equal(sealed.status, 200, sealed.text);
    assert.deepEqual(Object.keys(JSON.parse(sealed.text)), ["from", "sealed"]);
    assert.equal((await ask(edge.key, BASE)).status, 404);
    assert.equal((await ask("svce_wrong", HOST)).status, 401);

    assert.equal((await platform.api("DELETE", "/v1/edges/far")).status, 204);
    assert.equal((await ask(edge.key, HOST)).status, 401);
    await until(() => get(HOST), (text) => refused.test(text));
    assert.equal((await edge.get(HOST, "/")).headers["x-svc-edge"], "far; lost");
  },
});
