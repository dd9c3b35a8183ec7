/**
 * Requests of the tool itself, which also trust the authorities that
 * `NODE_EXTRA_CA_CERTS` and `SSL_CERT_FILE` name. The runtime knows only its
 * own `DENO_CERT`.
 *
 * @module
 */
import type { Environment } from "../session/mod.ts";

/** Variables that name a PEM file with certificates, as Node and OpenSSL have them. */
const CA_VARIABLES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

interface CaFile {
  readonly variable: string;
  readonly path: string;
}

async function readFile({ variable, path }: CaFile): Promise<readonly string[]> {
  const [{ readCertificates }, { CliError }] = await Promise.all([
    import("../session/mod.ts"),
    import("../errors/mod.ts"),
  ]);
  try {
    return await readCertificates(path);
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const hint = `${variable} names this file: correct the path, or unset the variable`;
    throw new CliError(cause.code, cause.message, { hint, cause });
  }
}

async function openClient(files: readonly CaFile[]): Promise<Deno.HttpClient> {
  const certificates = await Promise.all(files.map(readFile));
  return Deno.createHttpClient({ caCerts: certificates.flat() });
}

/**
 * Makes the `fetch` of a process with this environment. The files are read with
 * the first request to an https address; one that cannot be used fails it.
 */
export function createTrustedFetch(env: Environment): typeof fetch {
  const files = CA_VARIABLES.flatMap((variable) => {
    const path = env[variable];
    return path === undefined || path === "" ? [] : [{ variable, path }];
  });
  if (files.length === 0) return fetch;
  let client: Promise<Deno.HttpClient> | undefined;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.toLowerCase().startsWith("https:")) return await fetch(input, init);
    client ??= openClient(files);
    return await fetch(input, { ...init, client: await client });
  };
}
