import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { bindDomain } from "../../helpers/domains.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start, type TestPlatform } from "../../helpers/platform.ts";

/**
 * A domain that is neither an apex domain nor its `www` domain, so that only one certificate is
 * ordered.
 */
const HOST = "blog.shop.test";
const SEALED = / 200 sealed$/;
/**
 * Maximum time to wait for a certificate, in milliseconds. A longer wait would not help, because
 * the runtime remembers refusals.
 */
const RENEWAL_MS = 5000;
/** Number of new connections after each change. */
const CONNECTIONS = 10;
/**
 * Lifetime of a certificate, in seconds. The certificate is renewed after two thirds of that time.
 */
const LIFE_SECONDS = 12;

/** Opens a new connection. Returns the certificate and the response, or neither. */
async function visit(port: number): Promise<string> {
  const options = { host: "127.0.0.1", port, servername: HOST, rejectUnauthorized: false };
  const socket = connect({ ...options, ALPNProtocols: ["http/1.1"] });
  // An unhandled connection reset would end the tests.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect");
    const { valid_to: end } = socket.getPeerCertificate();
    socket.write(`GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`);
    const text = (await socket.toArray()).join("");
    const [head = "", body = ""] = text.split("\r\n\r\n");
    return `${new Date(end).toISOString()} ${head.split(" ")[1]} ${body}`;
  } catch {
    return "refused";
  } finally {
    socket.destroy();
  }
}

/** Returns the distinct results of many new connections. */
async function visits({ httpsPort }: TestPlatform): Promise<string[]> {
  const port = httpsPort!;
  return [...new Set(await Promise.all(Array.from({ length: CONNECTIONS }, () => visit(port))))];
}

/** Waits until all new connections get the expected certificate. */
async function shows(platform: TestPlatform, wanted: RegExp, patienceMs = 0) {
  const isWanted = (seen: readonly string[]) => seen.every((each) => wanted.test(each));
  await until(() => visits(platform), isWanted, patienceMs);
}

interface World {
  readonly platform: TestPlatform;
  /** The records that the DNS server returns. */
  readonly names: Map<string, object | string>;
  /** Stops the platform and starts another one on the same ports. */
  restart(): Promise<TestPlatform>;
}

/** Runs a test on a platform that orders short-lived certificates. */
async function withAuthority(
  program: string,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const folder = await makeTestFolder("svc-certificates-");
  await using stack = new AsyncDisposableStack();
  const dns = await startDns();
  stack.defer(() => dns.close());
  const [httpPort, httpsPort] = [unusedPort(), unusedPort()];
  const dnsServer = dns.server;
  const pebble = await startPebble(program, {
    folder,
    dnsServer,
    httpPort,
    lifeSeconds: LIFE_SECONDS,
  });
  stack.defer(() => pebble.close());
  const { directoryUrl, serverCaFile } = pebble;
  const open = async () => {
    const platform = await start(join(folder, "data"), {
      port: httpPort,
      httpsPort,
      dnsServer,
      publicAddresses: ["127.0.0.1"],
      acme: { directoryUrl, serverCaFile, contact: "ops@svc.test", termsAgreed: true },
    });
    stack.defer(() => platform.shutdown());
    return platform;
  };
  const platform = await open();
  await run({
    platform,
    names: dns.names,
    async restart() {
      await platform.shutdown();
      return await open();
    },
  });
}

const pebble = await findPebble();

Deno.test({
  name: "new connections match what the API reports about domains and certificates",
  ignore: pebble === undefined,
  fn: () =>
    withAuthority(pebble!, async ({ platform, names, restart }) => {
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "sealed" } });
      await shows(platform, /^refused$/);

      const bound = await bindDomain(platform, names, HOST);
      const path = `/v1/projects/shop/domains/${bound}`;
      const read = async () =>
        (await platform.api("GET", path)).json.domain.certificate as {
          readonly status: string;
          readonly expiresAt: string;
        };
      /**
       * Checks that the certificates on new connections match the API's response. Repeats the check
       * if that response has changed in the meantime.
       */
      const showsWhatIsSaid = async (): Promise<string> => {
        for (;;) {
          const { expiresAt } = await read();
          const failed = await shows(platform, RegExp(`^${expiresAt} 200 sealed$`))
            .then(() => undefined, (error: unknown) => error);
          if ((await read()).expiresAt !== expiresAt) continue;
          if (failed !== undefined) throw failed;
          return expiresAt;
        }
      };
      await until(read, ({ status }) => status === "issued");
      const first = await showsWhatIsSaid();

      // Reading the domain starts all orders that are due. No other order starts in the meantime.
      await until(async () => {
        await platform.api("POST", `${path}/verify`);
        return await read();
      }, ({ expiresAt }) => expiresAt !== first);
      await showsWhatIsSaid();

      assert.equal((await platform.api("DELETE", path)).status, 204);
      await shows(platform, /^refused$/);

      await bindDomain(platform, names, HOST);
      await shows(platform, SEALED, RENEWAL_MS);

      // The runtime remembers refusals, so no certificate may be refused while the platform starts.
      let isStarting = true;
      const restarting = restart().finally(() => isStarting = false);
      const early: Promise<string>[] = [];
      while (isStarting) {
        early.push(visit(platform.httpsPort!));
        await delay(10);
      }
      const restarted = await restarting;
      await Promise.all(early);
      await shows(restarted, SEALED, RENEWAL_MS);
    }),
});
