import assert from "node:assert/strict";
import { join } from "node:path";
import { createTrustedFetch } from "./trusted_fetch.ts";
import { stopServer } from "../../lib/stop_server.ts";

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

async function openssl(folder: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, cwd: folder }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/**
 * Creates a private authority in `ca.pem`, and a server on localhost with a certificate from it.
 */
async function withPrivateServer(
  test: (facts: { readonly url: string; readonly caFile: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-ca-" });
  await openssl(
    folder,
    "req",
    "-x509",
    ...EC,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=Test CA",
  );
  await openssl(
    folder,
    "req",
    "-x509",
    ...EC,
    "-keyout",
    "key.pem",
    "-out",
    "cert.pem",
    "-subj",
    "/CN=localhost",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-addext",
    "subjectAltName=DNS:localhost",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
  );
  const [cert, key] = await Promise.all(
    ["cert.pem", "key.pem"].map((name) => Deno.readTextFile(join(folder, name))),
  );
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: cert!, key: key!, onListen: () => {} },
    () => new Response("trusted"),
  );
  try {
    const caFile = join(folder, "ca.pem");
    await test({ url: `https://localhost:${server.addr.port}/`, caFile });
  } finally {
    await stopServer(server);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: "createTrustedFetch() trusts the authorities that the variables name",
  // The HTTP client of each fetch lives as long as the process.
  sanitizeResources: false,
  fn: () =>
    withPrivateServer(async ({ url, caFile }) => {
      await assert.rejects(createTrustedFetch({})(url), TypeError);
      for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
        const answer = await createTrustedFetch({ [name]: caFile })(url);
        assert.equal(await answer.text(), "trusted");
      }
      const both = { NODE_EXTRA_CA_CERTS: caFile, SSL_CERT_FILE: caFile };
      assert.equal(await (await createTrustedFetch(both)(new URL(url))).text(), "trusted");
    }),
});

Deno.test("createTrustedFetch() names a file that it cannot use", async () => {
  const trusted = createTrustedFetch({ SSL_CERT_FILE: "/nowhere/ca.pem" });
  await assert.rejects(
    trusted("https://localhost:1/"),
    /^CliError: Cannot read the certificates in \/nowhere\/ca\.pem/,
  );
});
