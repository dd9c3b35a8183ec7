/**
 * Tests certificate authorities that refuse certificates because of CAA records or limits, or are
 * down.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { type AuthorityProxy, startAuthorityProxy } from "../../helpers/authority_proxy.ts";
import { bindDomain } from "../../helpers/domains.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start, type TestPlatform } from "../../helpers/platform.ts";

const pebbleProgram = await findPebble();

interface World {
  readonly names: Map<string, object | string>;
  readonly authority: AuthorityProxy;
  /** Starts a platform with a project, or restarts it with the same data. */
  readonly serve: () => Promise<TestPlatform & AsyncDisposable>;
}

const withWorld = (run: (world: World) => Promise<void>): Promise<void> =>
  inTestFolder(async (folder) => {
    await using cleanUp = new AsyncDisposableStack();
    const dns = await startDns();
    cleanUp.defer(() => dns.close());
    const port = unusedPort();
    const options = { folder, dnsServer: dns.server, httpPort: port };
    const pebble = await startPebble(pebbleProgram!, options);
    cleanUp.defer(() => pebble.close());
    const authority = await startAuthorityProxy(pebble, { folder, caaIdentities: ["ca.test"] });
    cleanUp.defer(() => authority.close());
    const { directoryUrl, serverCaFile } = authority;
    const serve = async () => {
      const platform = await start(join(folder, "data"), {
        port,
        httpsPort: 0,
        dnsServer: dns.server,
        publicAddresses: ["127.0.0.1"],
        acme: { directoryUrl, serverCaFile, termsAgreed: true },
      });
      return { ...platform, [Symbol.asyncDispose]: () => platform.shutdown() };
    };
    await run({ names: dns.names, authority, serve });
  });

async function createShop(platform: TestPlatform): Promise<void> {
  await createProject(platform, "shop");
  await deploy(platform, "shop", { files: { "index.html": "shop" } });
}

/** Waits until a domain's certificate has a status. */
async function certificateOf(platform: TestPlatform, domain: string, status: string) {
  const path = `/v1/projects/shop/domains/${domain}`;
  return await until(
    async () => (await platform.api("GET", path)).json.domain.certificate,
    (certificate) => certificate.status === status,
  );
}

const verify = (platform: TestPlatform, domain: string) =>
  platform.api("POST", `/v1/projects/shop/domains/${domain}/verify`);

Deno.test({
  name: "a CAA refusal is reported with the records found and the record to add",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ names, authority, serve }) => {
      await using platform = await serve();
      await createShop(platform);
      names.set("shop.test", { CAA: ["digicert.com", "pki.goog; validationmethods=dns-01"] });
      authority.refusal = {
        path: "/finalize-order/",
        status: 403,
        type: "caa",
        detail: "CAA record for blog.shop.test prevents issuance",
      };
      const domain = await bindDomain(platform, names, "blog.shop.test");
      const { error } = await certificateOf(platform, domain, "failed");
      assert.equal(
        error,
        "CAA record for blog.shop.test prevents issuance. The CAA records of shop.test allow only " +
          "digicert.com, pki.goog, but the platform uses ca.test. Add the record: " +
          'shop.test CAA 0 issue "ca.test"',
      );

      authority.refusal = undefined;
      await verify(platform, domain);
      assert.equal((await certificateOf(platform, domain, "issued")).error, null);
    }),
});

Deno.test({
  name: "a name gets its certificate once the authority is available again",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ names, authority, serve }) => {
      await using platform = await serve();
      await createShop(platform);
      await authority.leave();
      const domain = await bindDomain(platform, names, "blog.shop.test");
      const { error } = await certificateOf(platform, domain, "failed");
      assert.match(error, /^The certificate authority at https:\S+ did not respond$/);

      authority.comeBack();
      await verify(platform, domain);
      assert.equal((await certificateOf(platform, domain, "issued")).error, null);
    }),
});

Deno.test({
  name: "a rate limit delays only the affected name, for as long as the authority requests",
  ignore: pebbleProgram === undefined,
  fn: () =>
    withWorld(async ({ names, authority, serve }) => {
      const detail = "too many certificates already issued for shop.test";
      const orders = () => authority.paths.filter((path) => path === "/order-plz").length;
      let limited = "";
      {
        await using platform = await serve();
        await createShop(platform);
        authority.refusal = {
          path: "/order-plz",
          status: 429,
          type: "rateLimited",
          detail,
          headers: { "retry-after": "7200" },
        };
        const before = Date.now();
        limited = await bindDomain(platform, names, "blog.shop.test");
        assert.equal((await certificateOf(platform, limited, "failed")).error, detail);
        assert.equal(orders(), 1);
        const told = await until(
          () => /Next try at (\S+)/.exec(platform.logged.join("\n"))?.[1] ?? "",
          (time) => time !== "",
        );
        assert.ok(Date.parse(told) >= before + 7200_000, told);

        authority.refusal = undefined;
        const other = await bindDomain(platform, names, "blog.other.test");
        await certificateOf(platform, other, "issued");
        assert.equal(orders(), 2);
      }
      await using platform = await serve();
      const third = await bindDomain(platform, names, "blog.third.test");
      await certificateOf(platform, third, "issued");
      assert.equal(orders(), 3, "the delay persists after a restart");
      assert.equal((await certificateOf(platform, limited, "failed")).error, detail);
      await verify(platform, limited);
      await certificateOf(platform, limited, "issued");
    }),
});
