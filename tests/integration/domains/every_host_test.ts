/**
 * Tests `--https`: certificates for deployment hosts, which are either one wildcard certificate or
 * ordered on demand. `CERTIFICATE_TESTS=all` uses many hosts, and renews certificates under load.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { connect } from "node:tls";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { startDnsUpdates } from "../../helpers/dns_updates.ts";
import { bindDomain, secureGet } from "../../helpers/domains.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start, type TestPlatform } from "../../helpers/platform.ts";

const BASE = "svc.test";
const pebbleProgram = await findPebble();

const IS_LONG = Deno.env.get("CERTIFICATE_TESTS") === "all";
const [WILDCARD_HOSTS, ON_DEMAND_HOSTS] = IS_LONG ? [50, 20] : [5, 2];

/** Lifetime of the certificates that are renewed under load, in seconds. */
const LIFE_SECONDS = 30;
const CLIENTS = 8;
const RENEWALS = 2;

interface World {
  /** The authority's root certificate, in PEM format. */
  readonly rootCa: string;
  readonly names: Map<string, object | string>;
  readonly updates: ReturnType<typeof startDnsUpdates>;
  /** Starts the platform with `--https`. */
  readonly serve: (
    more?: Partial<Parameters<typeof start>[1]>,
  ) => Promise<TestPlatform & AsyncDisposable>;
  /** Requests a host over HTTPS. Trusts only the test's certificate authority. */
  readonly get: (platform: TestPlatform, host: string) => Promise<string>;
}

async function withWorld(
  run: (world: World) => Promise<void>,
  more: { readonly lifeSeconds?: number } = {},
): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await makeTestFolder("svc-every-host-");
  cleanUp.defer(() => Deno.remove(folder, { recursive: true }));
  const dns = await startDns({ [BASE]: { A: ["127.0.0.1"] } });
  cleanUp.defer(() => dns.close());
  const updates = startDnsUpdates(dns.names, BASE);
  cleanUp.defer(() => updates.close());
  const httpPort = unusedPort();
  const pebble = await startPebble(pebbleProgram!, {
    folder,
    dnsServer: dns.server,
    httpPort,
    ...more,
  });
  cleanUp.defer(() => pebble.close());
  const ca = join(folder, "root.pem");
  await Deno.writeTextFile(ca, pebble.rootCa);
  const { directoryUrl, serverCaFile } = pebble;
  await run({
    rootCa: pebble.rootCa,
    names: dns.names,
    updates,
    get: (platform, host) => secureGet(platform.httpsPort!, host, { ca }),
    serve: async (more) => {
      const platform = await start(join(folder, "data"), {
        port: httpPort,
        httpsPort: 0,
        baseDomain: BASE,
        dnsServer: dns.server,
        https: true,
        acme: { directoryUrl, serverCaFile },
        ...more,
      });
      return { ...platform, [Symbol.asyncDispose]: () => platform.shutdown() };
    },
  });
}

Deno.test({
  name: "one wildcard certificate covers all hosts under the base domain",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ updates, serve, get }) => {
      const acmeDns = { provider: "rfc2136", token: updates.key, server: updates.server } as const;
      await using platform = await serve({ acmeDns });
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "sealed" } });
      await until(() => get(platform, `shop.${BASE}`), (text) => text === "sealed 2 200", 30_000);
      for (let at = 0; at < WILDCARD_HOSTS; at++) {
        const { urls } = await deploy(platform, "shop", { files: { "index.html": `page ${at}` } });
        const host = new URL(urls.unique).hostname;
        assert.equal(await get(platform, host), `page ${at} 2 200`);
      }
      await until(() => updates.changes.length, (count) => count === 4);
      const challenge = `_acme-challenge.${BASE}`;
      assert.deepEqual([...new Set(updates.changes)], [`add ${challenge}`, `remove ${challenge}`]);
    }),
});

Deno.test({
  name: "existing hosts get a certificate when a client first connects, and other hosts do not",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ names, serve, get }) => {
      await using platform = await serve();
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "sealed" } });
      const hosts = [`shop.${BASE}`];
      while (hosts.length < ON_DEMAND_HOSTS) {
        const files = { "index.html": `unique ${hosts.length}` };
        const { urls } = await deploy(platform, "shop", { files });
        hosts.push(new URL(urls.unique).hostname);
      }
      for (const host of hosts) names.set(host, { A: ["127.0.0.1"] });
      for (const host of hosts) assert.match(await get(platform, host), / 2 200$/, host);
      assert.match(await get(platform, `nobody.${BASE}`), /curl: \(35\)/);
      assert.ok(!platform.logged.some((line) => line.includes("nobody")));
    }),
});

Deno.test({
  name: "a failed proof is reported with the expected record",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ updates, serve }) => {
      const token = `hmac-sha256:svc-key:${btoa("another key")}`;
      const acmeDns = { provider: "rfc2136", token, server: updates.server } as const;
      await using platform = await serve({ acmeDns });
      const failed = await until(
        () => platform.logged.find((line) => /Cannot get a certificate/.test(line)) ?? "",
        (line) => line !== "",
        30_000,
      );
      assert.match(failed, /refused to change _acme-challenge\.svc\.test: REFUSED/);
    }),
});

interface Visit {
  /** Returns the certificate's serial number. */
  readonly certificate: string;
  readonly protocol: string | false | null;
}

/** Opens a new connection, on which the certificate must be valid. */
async function handshake(port: number, host: string, rootCa: string): Promise<Visit> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    servername: host,
    ca: rootCa,
    ALPNProtocols: ["h2", "http/1.1"],
  });
  // An unhandled connection reset would end the tests.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    return { certificate: serialNumber, protocol: socket.alpnProtocol };
  } finally {
    socket.destroy();
  }
}

Deno.test({
  name: "certificates are renewed under load without a failed handshake",
  ignore: pebbleProgram === undefined || !IS_LONG,
  fn: () =>
    withWorld(async ({ names, rootCa, updates, serve, get }) => {
      const acmeDns = { provider: "rfc2136", token: updates.key, server: updates.server } as const;
      await using platform = await serve({ acmeDns });
      await createProject(platform, "shop");
      const { urls } = await deploy(platform, "shop", { files: { "index.html": "sealed" } });
      const hosts = ["blog.shop.test", `shop.${BASE}`, new URL(urls.unique).hostname];
      const domain = await bindDomain(platform, names, hosts[0]!);
      for (const host of hosts) {
        await until(() => get(platform, host), (text) => / 2 200$/.test(text));
      }

      const seen = hosts.map(() => new Set<string>());
      const failures: string[] = [];
      let [count, isOver] = [0, false];
      const client = async () => {
        while (!isOver) {
          const at = count++ % hosts.length;
          try {
            const { certificate, protocol } = await handshake(
              platform.httpsPort!,
              hosts[at]!,
              rootCa,
            );
            assert.equal(protocol, "h2");
            seen[at]!.add(certificate);
          } catch (error) {
            failures.push(`${hosts[at]}: ${error}`);
          }
        }
      };
      const clients = Array.from({ length: CLIENTS }, client);
      // Reading the domain starts all orders that are due.
      await until(
        () => platform.api("POST", `/v1/projects/shop/domains/${domain}/verify`),
        () => failures.length > 0 || seen.every(({ size }) => size > RENEWALS),
        180_000,
      ).finally(() => isOver = true);
      await Promise.all(clients);
      assert.deepEqual(failures, [], `failures in ${count} handshakes`);
    }, { lifeSeconds: LIFE_SECONDS }),
});
