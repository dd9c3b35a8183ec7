/**
 * Tests certificates with several nodes. One node must order the certificates, all nodes must have
 * them, and every node must be able to respond to challenges.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { bindDomain, secureGet } from "../../helpers/domains.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, type TestPlatform } from "../../helpers/platform.ts";

const pebbleProgram = await findPebble();

async function leaderOf(platform: TestPlatform): Promise<string | undefined> {
  const { json } = await platform.api("GET", "/v1/nodes");
  return json.items.find(({ roles }: { roles: string[] }) => roles.includes("certificates"))?.id;
}

Deno.test({
  name: "one node orders certificates, another responds to challenges, and all serve them",
  ignore: pebbleProgram === undefined || NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const dns = await startDns();
    await using _ = { [Symbol.asyncDispose]: () => dns.close() };
    const challenged = unusedPort();
    const pebble = await startPebble(pebbleProgram!, {
      folder: cluster.folder,
      dnsServer: dns.server,
      httpPort: challenged,
    });
    await using _pebble = { [Symbol.asyncDispose]: () => pebble.close() };
    const ca = join(cluster.folder, "root.pem");
    await Deno.writeTextFile(ca, pebble.rootCa);
    const { directoryUrl, serverCaFile } = pebble;
    const options = {
      httpsPort: 0,
      dnsServer: dns.server,
      publicAddresses: ["127.0.0.1"],
      acme: { directoryUrl, serverCaFile, contact: "ops@svc.test", termsAgreed: true },
    };
    const a = await cluster.start("a", { ...options, nodeId: "a" });
    const b = await cluster.start("b", { ...options, nodeId: "b", port: challenged });
    await createProject(a, "shop");
    await deploy(a, "shop", { files: { "index.html": "sealed" } });

    const isServed = (node: TestPlatform, host: string) =>
      until(
        () => secureGet(node.httpsPort!, host, { ca }),
        (text) => text === "sealed 2 200",
        60_000,
      );

    await t.step(
      "the leader orders a certificate, the other node responds to the challenge, and both serve it",
      async () => {
        assert.equal(await leaderOf(b), "a");
        await bindDomain(a, dns.names, "www.shop.test");
        await isServed(a, "www.shop.test");
        await isServed(b, "www.shop.test");
        const failed = [...a.logged, ...b.logged].filter((line) => /Cannot get a cert/.test(line));
        assert.deepEqual(failed, [], "the first attempt succeeds");
      },
    );

    await t.step(
      "the leader also orders a certificate for a domain added through the other node",
      async () => {
        await bindDomain(b, dns.names, "blog.other.test");
        await isServed(a, "blog.other.test");
        await isServed(b, "blog.other.test");
      },
    );

    await t.step("the other node orders certificates once the leader is gone", async () => {
      await cluster.stop(a);
      await until(async () => await leaderOf(b) === "b");
      await bindDomain(b, dns.names, "late.third.test");
      await isServed(b, "late.third.test");
    });
  },
});
