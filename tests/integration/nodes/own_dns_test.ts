/**
 * Tests svc's own DNS on several nodes. Each node must serve the records for the challenges and
 * edges of all nodes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { UDPClient } from "dns2";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { secureGet } from "../../helpers/domains.ts";
import { addEdge } from "../../helpers/front_edge.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy } from "../../helpers/platform.ts";

const BASE = "svc.test";
const pebbleProgram = await findPebble();

Deno.test({
  name: "every node serves the DNS proofs and edge addresses that another node has stored",
  ignore: pebbleProgram === undefined || NO_POSTGRES !== undefined,
  async fn() {
    await using cleanUp = new AsyncDisposableStack();
    const cluster = cleanUp.use(await Cluster.open());
    const port = unusedPort();
    const challenge = `_acme-challenge.${BASE}`;
    const dns = await startDns({ [challenge]: { NS: [`ns.${BASE}`] } });
    cleanUp.defer(() => dns.close());
    // The authority queries the second node. The first node, which orders the certificate, waits
    // until the second node has the challenge.
    dns.delegated.set(challenge, port);
    const pebble = await startPebble(pebbleProgram!, {
      folder: cluster.folder,
      dnsServer: dns.server,
      httpPort: 1,
    });
    cleanUp.defer(() => pebble.close());
    const { directoryUrl, serverCaFile } = pebble;
    const ca = join(cluster.folder, "root.pem");
    await Deno.writeTextFile(ca, pebble.rootCa);
    const options = {
      baseDomain: BASE,
      publicAddresses: ["192.0.2.1"],
      httpsPort: 0,
      dnsServer: dns.server,
      https: true,
      acme: { directoryUrl, serverCaFile },
      acmeDns: { provider: "svc" },
    } as const;
    const a = await cluster.start("a", { ...options, nodeId: "a", dns: { port: unusedPort() } });
    const second = cluster.start("b", { ...options, nodeId: "b", dns: { port } });
    await createProject(a, "shop");
    await deploy(a, "shop", { files: { "index.html": "sealed" } });
    await second;
    await until(
      () => secureGet(a.httpsPort!, `shop.${BASE}`, { ca }),
      (text) => text === "sealed 2 200",
    );

    const addresses = async () => {
      const { answers } = await UDPClient({ dns: "127.0.0.1", port })(`shop.${BASE}`, "A");
      return answers.map(({ address }) => address).sort();
    };
    assert.deepEqual(await addresses(), ["192.0.2.1"]);
    const edge = await addEdge(a, "far", { args: ["--public-address", "192.0.2.7"] });
    await until(addresses, (found) => found.join() === "192.0.2.1,192.0.2.7");
    await edge.kill();
    await until(addresses, (found) => found.join() === "192.0.2.1");
  },
});
