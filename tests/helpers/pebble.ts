/**
 * Pebble, the ACME test server from Let's Encrypt (Debian package `pebble`), as a process. The
 * program is found through `SVC_PEBBLE` or on the search path. If it is missing, tests with Pebble
 * are shown as ignored.
 *
 * @module
 */
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";

export interface Pebble {
  readonly directoryUrl: string;
  /** PEM file that clients need to trust Pebble's own server. */
  readonly serverCaFile: string;
  /** Pebble's root certificate, in PEM format. */
  readonly rootCa: string;
  /** Stops the process. Can be called more than once. */
  close(): Promise<void>;
}

async function runs(path: string): Promise<boolean> {
  try {
    await new Deno.Command(path, { args: ["-version"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch {
    return false;
  }
}

const candidates = [Deno.env.get("SVC_PEBBLE") ?? "", "pebble", "/usr/bin/pebble"];

/** Returns the path of the program; `undefined` if there is none. */
export async function findPebble(): Promise<string | undefined> {
  for (const path of candidates) if (path !== "" && await runs(path)) return path;
  return undefined;
}

/** Fetches text once the server is up. */
const fetchWhenUp = (url: string, client: Deno.HttpClient): Promise<string> =>
  until(
    () => fetch(url, { client }).then((response) => response.text(), () => ""),
    (text) => text !== "",
  );

/**
 * Starts Pebble. Pebble resolves hosts with the given DNS server, and requests challenges on the
 * given port.
 */
export async function startPebble(
  program: string,
  { folder, dnsServer, httpPort, lifeSeconds }: {
    readonly folder: string;
    readonly dnsServer: string;
    readonly httpPort: number;
    /** How long Pebble's certificates are valid. By default, they are valid for years. */
    readonly lifeSeconds?: number;
  },
): Promise<Pebble> {
  const { certFile, keyFile } = await makeCertificate(folder, "pebble", ["IP:127.0.0.1"]);
  const [port, managementPort] = [unusedPort(), unusedPort()];
  const config = join(folder, "pebble.json");
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: certFile,
        privateKey: keyFile,
        httpPort,
        tlsPort: 1,
        ...(lifeSeconds !== undefined && { certificateValidityPeriod: lifeSeconds }),
      },
    }),
  );
  const child = new Deno.Command(program, {
    args: ["-config", config, "-dnsserver", dnsServer],
    env: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "20" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(certFile)] });
  const rootCa = await fetchWhenUp(`https://127.0.0.1:${managementPort}/roots/0`, client);
  const stop = async () => {
    client.close();
    child.kill("SIGKILL");
    await child.status;
  };
  let stopping: Promise<void> | undefined;
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    serverCaFile: certFile,
    rootCa,
    close: () => stopping ??= stop(),
  };
}
