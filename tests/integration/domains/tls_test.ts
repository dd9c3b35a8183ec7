import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import type { Domain } from "../../../src/contract/domains.ts";
import { bindDomain as bind, secureGet } from "../../helpers/domains.ts";
import { findPebble, startPebble } from "../../helpers/pebble.ts";
import { createProject, deploy, start } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const page = (text: string) => ({ files: { "index.html": text } });

Deno.test("the operator's own certificate is used for the API and sites, over HTTP/2 and 1.1", () =>
  inTestFolder(async (folder) => {
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const platform = await start(join(folder, "data"), {
      baseDomain: "svc.test",
      httpsPort: 0,
      tls,
    });
    const port = platform.httpsPort!;
    assert.equal(platform.url, `https://svc.test:${port}`);
    await createProject(platform, "shop");
    const live = await deploy(platform, "shop", page("secure"));
    assert.equal(live.urls.production, `https://shop.svc.test:${port}`);
    const ca = tls.certFile;
    assert.equal(await secureGet(port, "shop.svc.test", { ca }), "secure 2 200");
    assert.equal(await secureGet(port, "shop.svc.test", { ca, http1: true }), "secure 1.1 200");
    const health = await secureGet(port, "svc.test", { ca, path: "/v1/health" });
    assert.match(health, /"status":"ok".* 2 200$/);
    const hsts = async (host: string, path: string) =>
      await secureGet(port, host, { ca, path, header: "strict-transport-security" });
    for (const path of ["/v1/health", "/sign-in", "/v1/projects", "/nowhere", "/account"]) {
      assert.equal(await hsts("svc.test", path), "max-age=31536000", path);
    }
    assert.equal(await hsts("shop.svc.test", "/"), "", "a site sets its own HSTS policy");
    assert.equal((await platform.get("shop.svc.test", "/")).text, "secure");
    await platform.shutdown();
  }));

Deno.test("unusable certificate files are refused on startup", () =>
  inTestFolder(async (folder) => {
    const one = await makeCertificate(folder, "one", ["DNS:svc.test"]);
    const two = await makeCertificate(folder, "two", ["DNS:svc.test"]);
    const text = join(folder, "text");
    await Deno.writeTextFile(text, "no PEM");
    const rows = [
      [{ ...one, certFile: join(folder, "none") }, /can ?not read the certificate/i],
      [{ ...one, keyFile: two.keyFile }, /is not the key for/],
      [{ ...one, certFile: text }, /must contain a PEM certificate/],
      [{ ...one, keyFile: text }, /must contain a PEM private key/],
    ] as const;
    for (const [tls, reason] of rows) {
      await assert.rejects(
        start(join(folder, "data"), { httpsPort: 0, tls }),
        reason,
      );
    }
    const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await assert.rejects(
      start(join(folder, "data"), { httpsPort: taken.addr.port, tls: one }),
      /port_in_use/,
    );
    taken.close();
    const platform = await start(join(folder, "data"), { httpsPort: 0, tls: one });
    await platform.shutdown();
  }));

Deno.test("an authority whose terms have not been accepted is refused on startup", () =>
  inTestFolder(async (folder) => {
    const acme = { directoryUrl: "https://ca.test/dir", contact: "a@b.test", termsAgreed: false };
    await assert.rejects(
      start(join(folder, "data"), { httpsPort: 0, acme }),
      /agree to its terms of service first/,
    );
  }));

const pebbleProgram = await findPebble();

Deno.test({
  name: "ACME certificates are chosen by host, stored encrypted, and survive a restart",
  ignore: pebbleProgram === undefined,
  fn: () =>
    inTestFolder(async (folder) => {
      const dns = await startDns();
      const httpPort = unusedPort();
      const pebble = await startPebble(pebbleProgram!, {
        folder,
        dnsServer: dns.server,
        httpPort,
      });
      const ca = join(folder, "root.pem");
      await Deno.writeTextFile(ca, pebble.rootCa);
      const { directoryUrl, serverCaFile } = pebble;
      const options = {
        port: httpPort,
        httpsPort: 0,
        dnsServer: dns.server,
        publicAddresses: ["127.0.0.1"],
        acme: { directoryUrl, serverCaFile, contact: "ops@svc.test", termsAgreed: true },
      };
      const dataDir = join(folder, "data");
      let platform = await start(dataDir, options);
      try {
        await createProject(platform, "shop");
        await deploy(platform, "shop", page("sealed"));
        const stateOf = (id: string) => async () =>
          (await platform.api("GET", `/v1/projects/shop/domains/${id}`)).json.domain.certificate;
        const issued = (state: Domain["certificate"]) => state.status === "issued";

        const early = await secureGet(platform.httpsPort!, "www.shop.test", { ca });
        assert.match(early, /curl: \(35\)/);
        const shop = await bind(platform, dns.names, "www.shop.test");
        const state = await until(stateOf(shop), issued);
        assert.ok(Date.parse(state.expiresAt ?? "") > Date.now());
        assert.equal(
          await secureGet(platform.httpsPort!, "www.shop.test", { ca }),
          "sealed 2 200",
        );
        const redirect = await until(
          () => secureGet(platform.httpsPort!, "shop.test", { ca }),
          (text) => !text.startsWith("curl"),
        );
        assert.equal(redirect, " 2 308");

        const other = await bind(platform, dns.names, "blog.other.test");
        await until(stateOf(other), issued);
        assert.equal(
          await secureGet(platform.httpsPort!, "blog.other.test", { ca, http1: true }),
          "sealed 1.1 200",
        );
        assert.match(await secureGet(platform.httpsPort!, "no.shop.test", { ca }), /curl: \(35\)/);

        await platform.shutdown();
        const keys = await new Deno.Command("grep", {
          args: ["-rlaE", "PRIVATE KEY", dataDir],
        }).output();
        assert.equal(new TextDecoder().decode(keys.stdout), "");
        await pebble.close();

        platform = await start(dataDir, options);
        assert.equal(
          await secureGet(platform.httpsPort!, "www.shop.test", { ca }),
          "sealed 2 200",
        );
        const failing = await bind(platform, dns.names, "late.other.test");
        const failed = await until(stateOf(failing), ({ status }) => status === "failed");
        assert.match(failed.error, /The certificate authority at .* did not respond/);
        assert.equal(
          (await platform.get("late.other.test", "/")).text,
          "sealed",
          "a name without a certificate is served over plain HTTP",
        );
        await platform.api("DELETE", `/v1/projects/shop/domains/${shop}`);
        await until(
          () => secureGet(platform.httpsPort!, "www.shop.test", { ca }),
          (text) => text.startsWith("curl") || text.endsWith("404"),
        );
      } finally {
        await platform.shutdown();
        await pebble.close();
        await dns.close();
      }
    }),
});
