/**
 * Tests `svc serve --dns-port`: queries over UDP and TCP, edges, and certificates through
 * delegation.
 */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { join } from "node:path";
import { Packet, TCPClient, UDPClient } from "dns2";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { programCommand } from "../../../scripts/_program.ts";
import { secureGet } from "../../helpers/domains.ts";
import { addEdge, startEdge } from "../../helpers/front_edge.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start, type TestPlatform } from "../../helpers/platform.ts";

const BASE = "svc.test";
const CHALLENGE = `_acme-challenge.${BASE}`;
const ALIAS = "apps.acme.test";
const HERE = "127.0.0.1";
const pebbleProgram = await findPebble();

interface World {
  readonly folder: string;
  readonly cleanUp: AsyncDisposableStack;
}

async function withFolder(run: (world: World) => Promise<void>): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await makeTestFolder("svc-own-dns-");
  cleanUp.defer(() => Deno.remove(folder, { recursive: true }));
  await run({ folder, cleanUp });
}

async function serve(
  { folder, cleanUp }: World,
  options: Parameters<typeof start>[1] & { readonly dns: { readonly port: number } },
): Promise<TestPlatform> {
  const platform = await start(join(folder, "data"), { baseDomain: BASE, ...options });
  cleanUp.defer(() => platform.shutdown());
  return platform;
}

/** Returns the addresses that a client in a given network gets for a host. */
async function addressesFor(port: number, host: string, clientIp?: string) {
  const ask = UDPClient({ dns: HERE, port });
  const options = clientIp === undefined ? {} : { clientIp };
  const { answers } = await ask(host, "A", Packet.CLASS.IN, options);
  return answers.map(({ address }) => address).sort();
}

Deno.test("svc answers DNS queries for its base domain over UDP and TCP, and refuses others", () =>
  withFolder(async (world) => {
    const port = unusedPort();
    const publicAddresses = ["192.0.2.1", "2001:db8::1"];
    await serve(world, { publicAddresses, dns: { port, names: ["ns1.svc.test"] } });
    const garbage = createSocket("udp4");
    for (let length = 0; length < 40; length++) {
      garbage.send(crypto.getRandomValues(new Uint8Array(length)), port, HERE);
    }
    for (const ask of [UDPClient({ dns: HERE, port }), TCPClient({ dns: HERE, port })]) {
      const [found] = (await ask(`Shop.${BASE}`, "AAAA")).answers;
      assert.deepEqual([found?.address, found?.ttl], ["2001:db8::1", 30]);
      const { header, authorities } = await ask(`a.b.${BASE}`);
      assert.deepEqual([header.rcode, header.aa, authorities[0]?.minimum], [3, 1, 30]);
      const [ns] = (await ask(BASE, "NS")).answers;
      assert.equal(ns?.ns, "ns1.svc.test");
      assert.equal((await ask("example.com")).header.rcode, 5);
      assert.deepEqual((await ask(CHALLENGE, "TXT")).authorities[0]?.name, CHALLENGE);
    }
    garbage.close();

    const [program, ...before] = programCommand();
    const flags = ["--port", "0", "--base-domain", BASE, "--dns-port", `${port}`, "--json"];
    const second = await new Deno.Command(program, {
      args: [...before, "serve", ...flags, "--data-dir", join(world.folder, "second")],
    }).output();
    const { code, error } = JSON.parse(new TextDecoder().decode(second.stdout));
    const wanted =
      `Cannot listen for DNS queries on ${HERE}:${port}: another program is using the port`;
    assert.deepEqual([code, error], ["port_in_use", wanted]);
  }));

Deno.test("svc sends clients to the nearest available edge, but never to a drained one", () =>
  withFolder(async (world) => {
    const port = unusedPort();
    const platform = await serve(world, {
      publicAddresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
      dns: { port, country: "DE" },
    });
    const edge = (name: string, address: string, country: string) =>
      addEdge(platform, name, { args: ["--public-address", address, "--country", country] });
    const far = await edge("far", "192.0.2.2", "US");
    world.cleanUp.defer(() => far.kill());
    const near = await edge("near", "192.0.2.3", "SG");
    const shop = (clientIp?: string) => addressesFor(port, `shop.${BASE}`, clientIp);
    // Networks of T-Mobile US, Deutsche Telekom and Singtel, because loopback addresses have no
    // country.
    const [us, de, sg] = ["208.54.0.0/24", "217.80.0.0/24", "165.21.0.0/24"];
    assert.deepEqual(await shop(), ["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    assert.deepEqual(await shop(us), ["192.0.2.2"]);
    assert.deepEqual(await shop(de), ["192.0.2.1"]);
    assert.deepEqual(await shop(sg), ["192.0.2.3"]);
    // Edges do not get the certificates for these hosts.
    for (const host of [BASE, `ns.${BASE}`]) {
      assert.deepEqual(await addressesFor(port, host, us), ["192.0.2.1"]);
    }

    const json = { isDrained: true };
    assert.equal((await platform.api("PATCH", "/v1/edges/far", { json })).status, 200);
    assert.deepEqual(await shop(us), ["192.0.2.1"]);
    await near.kill();
    await until(shop, (found) => found.join() === "192.0.2.1");

    // A stolen key cannot send visitors to another machine.
    const thief = await startEdge({
      name: "near",
      key: near.key,
      join: `http://127.0.0.1:${platform.port}`,
      args: ["--public-address", "192.0.2.66", "--country", "SG"],
    });
    world.cleanUp.defer(() => thief.kill());
    assert.deepEqual(await until(() => shop(sg), (found) => found[0] !== "192.0.2.1"), [
      "192.0.2.3",
    ]);
    const reported = /near reports different public addresses than before/;
    await until(() => platform.logged.some((line) => reported.test(line)));
  }));

async function withAuthority(
  world: World,
  run: (
    parts: Awaited<ReturnType<typeof startDns>> & {
      readonly ca: string;
      /** Starts the platform with its own name server on a port. */
      serve(port: number): Promise<TestPlatform>;
    },
  ) => Promise<void>,
): Promise<void> {
  const dns = await startDns({ [BASE]: { A: [HERE] }, [CHALLENGE]: { CNAME: [ALIAS] } });
  world.cleanUp.defer(() => dns.close());
  const httpPort = unusedPort();
  const { folder } = world;
  const pebble = await startPebble(pebbleProgram!, { folder, dnsServer: dns.server, httpPort });
  world.cleanUp.defer(() => pebble.close());
  const ca = join(folder, "root.pem");
  await Deno.writeTextFile(ca, pebble.rootCa);
  const { directoryUrl, serverCaFile } = pebble;
  await run({
    ...dns,
    ca,
    serve: (port) =>
      serve(world, {
        port: httpPort,
        httpsPort: 0,
        dnsServer: dns.server,
        https: true,
        acme: { directoryUrl, serverCaFile },
        acmeDns: { provider: "svc", alias: ALIAS },
        dns: { port },
      }),
  });
}

Deno.test({
  name: "a delegated CNAME gets a wildcard certificate without a DNS provider's token",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withFolder((world) =>
      withAuthority(world, async ({ ca, delegated, serve }) => {
        const port = unusedPort();
        delegated.set(ALIAS, port);
        const platform = await serve(port);
        await createProject(platform, "shop");
        const { urls } = await deploy(platform, "shop", { files: { "index.html": "sealed" } });
        for (const host of [`shop.${BASE}`, new URL(urls.unique).hostname]) {
          await until(
            () => secureGet(platform.httpsPort!, host, { ca }),
            (text) => text === "sealed 2 200",
          );
        }
        const failed = platform.logged.filter((line) => /Cannot get a cert/.test(line));
        assert.deepEqual(failed, [], "the first attempt succeeds");
        const { answers } = await UDPClient({ dns: HERE, port })(ALIAS, "TXT");
        assert.deepEqual(answers, [], "no proof remains");
      })
    ),
});

Deno.test({
  name: "a missing delegation is reported before a certificate is ordered",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withFolder((world) =>
      withAuthority(world, async ({ names, serve }) => {
        names.set(ALIAS, { TXT: ["from another server"] });
        const { logged } = await serve(unusedPort());
        const wanted = `Expected NS ${ALIAS} to be ns.${BASE}; saw nothing`;
        await until(() => logged.some((line) => line.includes(wanted)));
      })
    ),
});
