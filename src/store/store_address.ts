/**
 * Reads a PostgreSQL store's address and user from a URL, environment variables and files. @module
 */

interface StoreHost {
  readonly hostname: string;
  readonly port: number;
}

export interface StoreAddress {
  /** The servers of a cluster, one of which is the primary. Empty for a Unix socket. */
  readonly hosts: readonly StoreHost[];
  /** Path of a Unix socket. */
  readonly socket: string | undefined;
  /** Certificates to trust in addition to the system's; `undefined` if TLS is disabled. */
  readonly tls: { readonly caCerts: readonly string[] } | undefined;
  readonly user: string;
  readonly database: string;
  /** The password; `undefined` if the server does not require one. */
  readonly password: string | undefined;
}

/** Sources of values that are missing from the URL. */
export interface AddressSources {
  /** The process's environment variables, such as `PGPASSWORD`. */
  readonly variable: (name: string) => string | undefined;
  readonly readFile: (path: string) => string;
}

/**
 * An error for a store URL that cannot be used. The message is for the operator and contains no
 * password.
 */
export class StoreAddressError extends TypeError {
  override readonly name = "StoreAddressError";
}

const DEFAULT_PORT = 5432;
const PLACE =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?<password>:[^@/?]*)?@)?(?<hosts>[^@/?]*)(?:\/(?<database>[^/?]*))?(?:\?(?<query>.*))?$/;
const HOST = /^(?:\[(?<address>[0-9A-Fa-f:.%]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;
const PARAMETERS: ReadonlySet<string> = new Set(["host", "passfile", "sslmode", "sslrootcert"]);
const MODES_WITH_TLS: ReadonlySet<string> = new Set(["require", "verify-ca", "verify-full"]);

/** Whether a store's location is a PostgreSQL URL. */
export function isStoreUrl(place: string): boolean {
  return /^postgres(?:ql)?:/i.test(place);
}

/** Returns the location for messages, without parameters and passwords. */
export function describeStoreUrl(place: string): string {
  return place.replace(/\?.*$/s, "").replace(/\/\/[^/]*@/, "//");
}

/**
 * Reads `postgres://role@host:port,host:port/database?sslmode=…`, or `?host=/folder` for a Unix
 * socket. The connection uses TLS and verifies the server's certificate unless all hosts are on
 * this machine. The password comes from `SVC_KV_PASSWORD`, `PGPASSWORD` or the file named by
 * `PGPASSFILE`.
 *
 * @throws {StoreAddressError}
 */
export function parseStoreUrl(place: string, sources: AddressSources): StoreAddress {
  const { user, password, hosts, database, query } = PLACE.exec(place)?.groups ?? {};
  if (hosts === undefined) {
    throw new StoreAddressError(
      "The URL of the key-value store must look like postgres://role@host:5432/database",
    );
  }
  if (password !== undefined) {
    throw new StoreAddressError(
      "Leave the password out of the URL of the key-value store, because others on this " +
        "machine can read command lines: set it in SVC_KV_PASSWORD, in PGPASSWORD, or in a " +
        "file that " +
        "PGPASSFILE names",
    );
  }
  const parameters = readParameters(query ?? "");
  const role = decode(user ?? "") || sources.variable("PGUSER");
  if (role === undefined) {
    throw new StoreAddressError("The URL of the key-value store has no role: postgres://role@…");
  }
  const login = { user: role, database: decode(database ?? "") || role };
  const folder = parameters.get("host");
  const listed = hosts === "" ? [] : hosts.split(",").map(parseHost);
  const reached = { hosts: listed, socket: folder === undefined ? undefined : socketIn(folder) };
  if (listed.length === 0 && folder === undefined) {
    throw new StoreAddressError(
      "The URL of the key-value store has no host: postgres://role@host/…",
    );
  }
  return {
    ...reached,
    ...login,
    tls: folder === undefined ? readTls(parameters, listed, sources) : undefined,
    password: findPassword({ ...reached, ...login }, parameters, sources),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StoreAddressError(
      "The URL of the key-value store has a % that is not followed by two hex digits",
    );
  }
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map(new URLSearchParams(query));
  for (const name of parameters.keys()) {
    if (PARAMETERS.has(name)) continue;
    throw new StoreAddressError(
      `The URL of the key-value store has the unknown parameter "${name}": use ` +
        [...PARAMETERS].join(", "),
    );
  }
  return parameters;
}

function parseHost(text: string): StoreHost {
  const { address, name, port } = HOST.exec(text)?.groups ?? {};
  const hostname = address ?? name;
  if (hostname === undefined || Number(port ?? DEFAULT_PORT) > 65_535) {
    throw new StoreAddressError(
      `The URL of the key-value store has "${text}" where host or host:port is expected`,
    );
  }
  return { hostname, port: Number(port ?? DEFAULT_PORT) };
}

function socketIn(folder: string): string {
  if (folder.startsWith("/")) return `${folder}/.s.PGSQL.${DEFAULT_PORT}`;
  throw new StoreAddressError(
    `"host" in the URL of the key-value store must be the folder of a Unix socket`,
  );
}

function readTls(
  parameters: ReadonlyMap<string, string>,
  hosts: readonly StoreHost[],
  { readFile }: AddressSources,
): StoreAddress["tls"] {
  const mode = parameters.get("sslmode");
  const isLocal = hosts.every(({ hostname }) => LOOPBACK.test(hostname));
  if (mode === "disable" || (mode === undefined && isLocal)) return undefined;
  if (mode !== undefined && !MODES_WITH_TLS.has(mode)) {
    throw new StoreAddressError(
      `"sslmode" in the URL of the key-value store must be disable, require, verify-ca or ` +
        `verify-full, not "${mode}"`,
    );
  }
  const file = parameters.get("sslrootcert");
  if (file === undefined || file === "system") return { caCerts: [] };
  return { caCerts: [read(file, "the certificate of the key-value store", readFile)] };
}

function read(path: string, what: string, readFile: AddressSources["readFile"]): string {
  try {
    return readFile(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreAddressError(`Cannot read ${what} in ${path}: ${reason}`, { cause });
  }
}

function findPassword(
  address: Pick<StoreAddress, "hosts" | "user" | "database">,
  parameters: ReadonlyMap<string, string>,
  { variable, readFile }: AddressSources,
): string | undefined {
  const given = variable("SVC_KV_PASSWORD") || variable("PGPASSWORD");
  if (given) return given;
  const file = parameters.get("passfile") ?? variable("PGPASSFILE");
  if (file === undefined || file === "") return undefined;
  const text = read(file, "the password of the key-value store", readFile);
  return findInPassfile(text, address);
}

/**
 * Finds a password in a password file. As in `libpq`, the first match counts, and `*` matches
 * anything. If the file is a single line without colons, that line is the password.
 */
export function findInPassfile(
  text: string,
  { hosts, user, database }: Pick<StoreAddress, "hosts" | "user" | "database">,
): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length === 1 && !/[^\\]:/.test(lines[0]!)) return lines[0];
  const places = hosts.length === 0 ? [{ hostname: "localhost", port: DEFAULT_PORT }] : hosts;
  for (const line of lines) {
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)]
      .map(([, field]) => field!.replace(/\\(.)/g, "$1"));
    const fits = (field: string | undefined, value: string) => field === "*" || field === value;
    const isOurs = fits(fields[2], database) && fits(fields[3], user) &&
      places.some((at) => fits(fields[0], at.hostname) && fits(fields[1], String(at.port)));
    if (isOurs) return fields[4];
  }
  return undefined;
}
