/**
 * @module Requests that the CLI itself sends. Their errors name a failing proxy. The requests also
 * trust the authorities in the files that `NODE_EXTRA_CA_CERTS` and `SSL_CERT_FILE` name, because
 * the runtime itself supports only `DENO_CERT`.
 */
import { proxyFor } from "../../lib/proxy.ts";
import type { Environment } from "../session/global_flags.ts";

/** Variables that name a PEM file with certificates, as in Node and OpenSSL. */
const CA_VARIABLES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

interface CaFile {
  readonly variable: string;
  readonly path: string;
}

async function readFile({ variable, path }: CaFile): Promise<readonly string[]> {
  const [{ readCertificates }, { CliError }] = await Promise.all([
    import("../session/certificates.ts"),
    import("../errors/cli_error.ts"),
  ]);
  try {
    return await readCertificates(path);
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const hint = `The path comes from ${variable}: fix it, or unset the variable`;
    throw new CliError(cause.code, cause.message, { hint, cause });
  }
}

async function openClient(files: readonly CaFile[]): Promise<Deno.HttpClient> {
  const certificates = await Promise.all(files.map(readFile));
  return Deno.createHttpClient({ caCerts: certificates.flat() });
}

const addressOf = (input: Parameters<typeof fetch>[0]): string =>
  input instanceof Request ? input.url : String(input);

/** Explains why a request through a proxy failed. The proxy itself may be unreachable. */
async function explainProxy(address: string, env: Environment, cause: unknown): Promise<unknown> {
  const proxy = cause instanceof TypeError ? proxyFor(address, env) : undefined;
  if (proxy === undefined) return cause;
  const { CliError } = await import("../errors/cli_error.ts");
  const { origin, hostname } = new URL(address);
  const message = `Cannot reach ${origin} through the proxy ${proxy.address}`;
  const hint =
    `The proxy comes from ${proxy.variable}: fix or unset it, or add ${hostname} to NO_PROXY`;
  return new CliError("unreachable", message, { hint, cause });
}

/**
 * Creates a `fetch` for a process with this environment. The certificate files are read on the
 * first https request, which fails if one of them is unusable.
 */
export function createTrustedFetch(env: Environment): typeof fetch {
  const trusting = createTrusting(env);
  return async (input, init) => {
    try {
      return await trusting(input, init);
    } catch (error) {
      throw await explainProxy(addressOf(input), env, error);
    }
  };
}

function createTrusting(env: Environment): typeof fetch {
  const files = CA_VARIABLES.flatMap((variable) => {
    const path = env[variable];
    return path === undefined || path === "" ? [] : [{ variable, path }];
  });
  if (files.length === 0) return fetch;
  let client: Promise<Deno.HttpClient> | undefined;
  return async (input, init) => {
    if (!addressOf(input).toLowerCase().startsWith("https:")) return await fetch(input, init);
    client ??= openClient(files);
    return await fetch(input, { ...init, client: await client });
  };
}
