/**
 * Opens more idle connections than a process can have. The platform must keep responding and stop
 * cleanly.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { cleanEnvironment, programCommand, startProgram } from "../../scripts/_program.ts";
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { freeBuildUid } from "../helpers/build_users.ts";

const DESCRIPTORS = 256;
const IDLE = 500;

async function writeCertificate(folder: string): Promise<readonly string[]> {
  const { certFile, keyFile } = await makeCertificate(folder, "localhost");
  return ["--tls-cert", certFile, "--tls-key", keyFile];
}

/** Opens connections that send either nothing or just the start of a request. */
async function openIdle(port: number, beginning: string): Promise<Deno.Conn[]> {
  const opened: Deno.Conn[] = [];
  for (let count = 0; count < IDLE; count++) {
    try {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port });
      opened.push(conn);
      if (beginning !== "") await conn.write(new TextEncoder().encode(beginning));
    } catch { /* The platform has refused or already closed the connection, as it should. */ }
  }
  return opened;
}

/**
 * Requests a page over a new connection. Returns the response's status, or 0 if there is no
 * response.
 */
async function statusOf(port: number): Promise<number> {
  try {
    return (await fetchByHost({ port, host: "localhost", path: "/v1/health" })).status;
  } catch {
    return 0;
  }
}

/**
 * Requests a page until there is a response, at most `tries` times. Returns the response's status,
 * or 0.
 */
async function answered(port: number, tries: number): Promise<number> {
  for (let count = 0; count < tries; count++) {
    const status = await statusOf(port);
    if (status !== 0) return status;
    if (!answersDuring) await delay(50);
  }
  return 0;
}

/**
 * Requests a page over TLS, and retries if nothing is listening yet. Returns the response's status,
 * or "000" if there is no response.
 */
async function secureStatusOf(port: number): Promise<string> {
  const { stdout } = await new Deno.Command("curl", {
    args: [
      "--insecure",
      "--silent",
      "--output",
      "/dev/null",
      "--write-out",
      "%{http_code}",
      "--retry",
      "10",
      "--retry-all-errors",
      "--retry-delay",
      "1",
      "--max-time",
      "20",
      `https://localhost:${port}/v1/health`,
    ],
  }).output();
  return new TextDecoder().decode(stdout).slice(-3);
}

/**
 * The compiled program responds while the connections are open. When svc runs from source, the
 * runtime itself accepts the connections, so the platform does not respond until they are closed
 * (docs/decisions/runtime.md).
 */
const answersDuring = (Deno.env.get("SVC_BIN") ?? "") !== "";

const attacks = [
  ["silent", "http", ""],
  ["half a head", "http", "GET / HTTP/1.1\r\nHo"],
  ["silent before TLS", "https", ""],
  ["half a handshake", "https", "\x16\x03\x01\x02\x00"],
] as const;

Deno.test({
  name: "idle connections beyond the descriptor limit stop neither the platform nor sites",
  ignore: Deno.build.os !== "linux",
  fn: async (t) => {
    const folder = await Deno.makeTempDir({ prefix: "svc-connections-" });
    const ports = { http: unusedPort(), https: unusedPort() };
    const limited = ["sh", "-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh"] as const;
    const platform = await startProgram({
      dataDir: join(folder, "data"),
      port: ports.http,
      env: cleanEnvironment(folder),
      command: [...limited, ...programCommand()],
      args: [
        ...await writeCertificate(folder),
        "--https-port",
        String(ports.https),
        "--build-uid",
        String(freeBuildUid()),
      ],
    });
    try {
      for (const [name, listener, beginning] of attacks) {
        await t.step(name, async () => {
          const idle = await openIdle(ports[listener], beginning);
          if (answersDuring) assert.equal(await answered(ports.http, 20), 200, platform.errors());
          for (const conn of idle) conn.close();
          assert.equal(await answered(ports.http, 100), 200, platform.errors());
          const secure = await secureStatusOf(ports.https);
          assert.equal(secure, "200", platform.errors());
        });
      }
    } finally {
      assert.equal(await platform.stop(), 0, platform.errors());
      await Deno.remove(folder, { recursive: true });
    }
  },
});
