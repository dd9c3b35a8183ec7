/**
 * Adds custom domains for tests, and sends HTTPS requests to them.
 *
 * @module
 */
import type { TestPlatform } from "./platform.ts";

/**
 * Requests a page as a client that trusts only one root certificate. Returns the status and text,
 * or the reason why the client disconnected.
 */
export async function secureGet(
  port: number,
  host: string,
  options: {
    readonly ca: string;
    readonly path?: string;
    readonly http1?: boolean;
    /** The response header to return instead of the body and status. */
    readonly header?: string;
  },
): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("curl", {
    args: [
      "-sS",
      "--max-time",
      "5",
      "--cacert",
      options.ca,
      ...(options.http1 ? ["--http1.1"] : []),
      "--resolve",
      `${host}:${port}:127.0.0.1`,
      ...(options.header === undefined
        ? ["-w", " %{http_version} %{http_code}"]
        : ["-o", "/dev/null", "-w", `%header{${options.header}}`]),
      `https://${host}:${port}${options.path ?? "/"}`,
    ],
  }).output();
  return new TextDecoder().decode(success ? stdout : stderr);
}

/** Adds a domain, verifies it, and points it to the platform. */
export async function bindDomain(
  platform: TestPlatform,
  names: Map<string, object | string>,
  hostname: string,
): Promise<string> {
  const { json } = await platform.api("POST", "/v1/projects/shop/domains", {
    json: { hostname, environment: "production" },
  });
  for (const record of json.records) {
    if (record.purpose === "proof") names.set(record.name, { TXT: [record.value] });
    else names.set(record.name, { A: ["127.0.0.1"] });
  }
  await platform.api("POST", `/v1/projects/shop/domains/${json.domain.id}/verify`);
  return json.domain.id;
}
