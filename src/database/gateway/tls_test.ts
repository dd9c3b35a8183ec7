import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { connect } from "node:tls";
import pg from "pg";
import postgres from "postgres";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { NO_POSTGRES } from "../server/_test_server.ts";
import { openClient, refusalOf, startTestGateway, type TestGateway } from "./_test_gateway.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

/** A non-loopback address of this machine, which the gateway treats like another machine's. */
const OUTER = Object.values(networkInterfaces()).flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address;

/** Runs a query with psql. */
async function psql(url: string): Promise<string> {
  const { stdout, stderr } = await runProgram("psql", {
    args: [url, "-At", "-c", "SELECT repeat('x', 100000)"],
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "" },
  });
  const decoder = new TextDecoder();
  const length = decoder.decode(stdout).trim().length;
  return length > 0 ? `${length} characters` : decoder.decode(stderr);
}

const at = (url: string, host: string): string => url.replace("127.0.0.1", host);

Deno.test({
  name:
    `Gateway uses TLS with psql, pg and postgres, and accepts plain connections only from this machine${skipped}`,
  ignore,
  fn: async () => {
    let pair = await makeKeyPair("localhost", ["DNS:localhost", "IP:127.0.0.1"]);
    await using test = await startTestGateway({
      hostname: "0.0.0.0",
      certificate: () => Promise.resolve(pair),
    });
    const url = test.url(await test.add("shop"));
    for (const mode of ["disable", "prefer", "require"]) {
      assert.equal(await psql(`${url}?sslmode=${mode}`), "100000 characters", mode);
    }
    const { client } = await openClient(url, { ca: pair.cert, servername: "localhost" });
    assert.equal((await client.query("SELECT 1 AS n")).rows[0].n, 1);
    await client.end();
    const sql = postgres(url, { ssl: "require" });
    assert.deepEqual([...await sql`SELECT 2 AS n`], [{ n: 2 }]);
    await sql.end();
    await assert.rejects(openClient(url, { servername: "localhost" }), /self.signed|certificate/i);
    if (OUTER !== undefined) {
      assert.equal(await psql(`${at(url, OUTER)}?sslmode=require`), "100000 characters");
      const { code, message } = await refusalOf(at(url, OUTER));
      assert.deepEqual([code, /not encrypted/.test(message)], ["28000", true]);
    }
    pair = await makeKeyPair("renewed", ["DNS:renewed", "IP:127.0.0.1"]);
    assert.equal(await nameShown(test), "renewed");
    assert.deepEqual(test.troubles, []);
  },
});

/** Returns the common name in the certificate for a client that starts with TLS directly. */
function nameShown({ port }: TestGateway): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["postgresql"] },
      () => {
        assert.equal(socket.alpnProtocol, "postgresql");
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

Deno.test({
  name: `Gateway without a certificate refuses TLS${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const url = test.url(await test.add("shop"));
    assert.equal(await psql(`${url}?sslmode=prefer`), "100000 characters");
    assert.match(await psql(`${url}?sslmode=require`), /does not support SSL/);
    const client = new pg.Client({ connectionString: url, ssl: true });
    await assert.rejects(client.connect(), /does not support SSL/);
  },
});
