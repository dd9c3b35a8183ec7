/** @module Address and user of a PostgreSQL server, as `libpq` finds them. */

export interface ServerAddress {
  readonly endpoint:
    | { readonly transport: "tcp"; readonly hostname: string; readonly port: number }
    | { readonly transport: "unix"; readonly path: string };
  /** Trusted certificates in addition to the system's, or `undefined` for no TLS. */
  readonly tls: { readonly caCerts: string[]; readonly caFile: string | undefined } | undefined;
}

export interface Login {
  readonly user: string;
  /** `undefined` if the server requires none. */
  readonly password: string | undefined;
  readonly database: string;
}

interface ServerUrl {
  readonly address: ServerAddress;
  readonly login: Login;
}

/** Sources of values that are missing from the URL. */
export interface UrlSources {
  /** For example `PGPASSWORD`. */
  readonly variable: (name: string) => string | undefined;
  readonly readFile: (path: string) => string;
}

const DEFAULT_PORT = 5432;
const KNOWN: ReadonlySet<string> = new Set(["sslmode", "sslrootcert", "passfile", "host"]);
const MODES_WITH_TLS: ReadonlySet<string> = new Set(["require", "verify-ca", "verify-full"]);
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Reads `postgres://role@host:port/database?sslmode=…`, or `?host=/folder` for a Unix socket. TLS
 * is used unless the address belongs to this machine, and always verifies the server's certificate.
 *
 * @throws {TypeError} with a message for the operator, which never contains the password
 */
export function parseServerUrl(text: string, sources: UrlSources): ServerUrl {
  const url = parse(text);
  for (const name of url.searchParams.keys()) {
    if (!KNOWN.has(name)) {
      throw new TypeError(
        `The PostgreSQL URL has the unknown parameter "${name}": use ${[...KNOWN].join(", ")}`,
      );
    }
  }
  const user = decodeURIComponent(url.username) || sources.variable("PGUSER");
  if (user === undefined) {
    throw new TypeError("The PostgreSQL URL has no role: postgres://role@…");
  }
  const folder = url.searchParams.get("host");
  const port = Number(url.port || DEFAULT_PORT);
  const login = {
    user,
    database: decodeURIComponent(url.pathname.slice(1)) || "postgres",
    password: findPassword(url, sources),
  };
  if (folder !== null) {
    if (!folder.startsWith("/")) {
      throw new TypeError(`"host" in the PostgreSQL URL must be the folder of a Unix socket`);
    }
    const path = `${folder}/.s.PGSQL.${port}`;
    return { address: { endpoint: { transport: "unix", path }, tls: undefined }, login };
  }
  if (url.hostname === "") {
    throw new TypeError("The PostgreSQL URL has no host: postgres://role@host/…");
  }
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const address = {
    endpoint: { transport: "tcp", hostname, port },
    tls: readTls(url, sources),
  } as const;
  return { address, login };
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) {
    throw new TypeError("The PostgreSQL URL must look like postgres://role@host:5432/postgres");
  }
  return url;
}

function findPassword(url: URL, { variable, readFile }: UrlSources): string | undefined {
  if (url.password !== "") return decodeURIComponent(url.password);
  const file = url.searchParams.get("passfile");
  if (file === null) return variable("PGPASSWORD");
  try {
    return readFile(file).replace(/\r?\n$/, "");
  } catch (cause) {
    throw new TypeError(`Cannot read the PostgreSQL password file: ${cause}`, { cause });
  }
}

function readTls(url: URL, { readFile }: UrlSources): ServerAddress["tls"] {
  const mode = url.searchParams.get("sslmode");
  if (mode === "disable" || (mode === null && LOOPBACK.test(url.hostname))) return undefined;
  if (mode !== null && !MODES_WITH_TLS.has(mode)) {
    throw new TypeError(
      `"sslmode" in the PostgreSQL URL must be disable, require, verify-ca or verify-full, not ` +
        `"${mode}"`,
    );
  }
  const file = url.searchParams.get("sslrootcert");
  if (file === null || file === "system") return { caCerts: [], caFile: undefined };
  try {
    return { caCerts: [readFile(file)], caFile: file };
  } catch (cause) {
    throw new TypeError(`Cannot read the PostgreSQL server's certificate: ${cause}`, {
      cause,
    });
  }
}

/** Formats the server for messages, without the user. */
export function describeAddress({ endpoint }: ServerAddress): string {
  return endpoint.transport === "unix" ? endpoint.path : `${endpoint.hostname}:${endpoint.port}`;
}
