/**
 * @module Variables that configure network access for programs on this machine: proxies,
 * certificates and package registries. Pure.
 *
 * No other list exists: git, builds, tests and benchmarks start programs in a clean environment and
 * add these variables. Project code sees them, so the list contains no variables for secrets.
 */

/**
 * - `setting`: passed on unchanged;
 * - `path`: a file or folder that must be visible in a sandbox;
 * - `paths`: several folders, separated by ":";
 * - `registry`: one or more URLs separated by a space, "," or "|", passed on without user names and
 *   passwords.
 */
type Kind = "setting" | "path" | "paths" | "registry";

/** By name in upper case, with "_" for "-". */
const KINDS: Readonly<Record<string, Kind>> = {
  // A proxy's password is kept, because the network cannot be reached without it.
  HTTP_PROXY: "setting",
  HTTPS_PROXY: "setting",
  ALL_PROXY: "setting",
  NO_PROXY: "setting",
  NODE_USE_ENV_PROXY: "setting",

  SSL_CERT_FILE: "path",
  SSL_CERT_DIR: "paths",
  NIX_SSL_CERT_FILE: "path",
  NODE_EXTRA_CA_CERTS: "path",
  NODE_USE_SYSTEM_CA: "setting",
  DENO_CERT: "path",
  DENO_TLS_CA_STORE: "setting",
  CURL_CA_BUNDLE: "path",
  REQUESTS_CA_BUNDLE: "path",
  PIP_CERT: "path",
  AWS_CA_BUNDLE: "path",
  CARGO_HTTP_CAINFO: "path",
  BUNDLE_SSL_CA_CERT: "path",
  GIT_SSL_CAINFO: "path",
  GIT_SSL_CAPATH: "path",

  // npm and pnpm read any setting from a variable. None of the settings listed here contains a
  // token, user name or key.
  NPM_CONFIG_REGISTRY: "registry",
  NPM_CONFIG_PROXY: "setting",
  NPM_CONFIG_HTTP_PROXY: "setting",
  NPM_CONFIG_HTTPS_PROXY: "setting",
  NPM_CONFIG_NOPROXY: "setting",
  NPM_CONFIG_CA: "setting",
  NPM_CONFIG_CAFILE: "path",
  NPM_CONFIG_STRICT_SSL: "setting",
  NPM_CONFIG_LOCAL_ADDRESS: "setting",
  NPM_CONFIG_MAXSOCKETS: "setting",
  NPM_CONFIG_REPLACE_REGISTRY_HOST: "setting",
  NPM_CONFIG_FETCH_RETRIES: "setting",
  NPM_CONFIG_FETCH_RETRY_FACTOR: "setting",
  NPM_CONFIG_FETCH_RETRY_MINTIMEOUT: "setting",
  NPM_CONFIG_FETCH_RETRY_MAXTIMEOUT: "setting",
  NPM_CONFIG_FETCH_TIMEOUT: "setting",
  COREPACK_NPM_REGISTRY: "registry",
  YARN_REGISTRY: "registry",
  YARN_NPM_REGISTRY_SERVER: "registry",
  YARN_HTTP_PROXY: "setting",
  YARN_HTTPS_PROXY: "setting",
  YARN_HTTPS_CA_FILE_PATH: "path",
  YARN_ENABLE_STRICT_SSL: "setting",
  PIP_INDEX_URL: "registry",
  PIP_EXTRA_INDEX_URL: "registry",
  PIP_PROXY: "setting",
  UV_INDEX_URL: "registry",
  UV_DEFAULT_INDEX: "registry",
  UV_NATIVE_TLS: "setting",
  GOPROXY: "registry",
  GOSUMDB: "setting",
  GOPRIVATE: "setting",
  GONOPROXY: "setting",
  GONOSUMDB: "setting",
  CARGO_HTTP_PROXY: "setting",
  HEX_MIRROR: "registry",
  HEX_CACERTS_PATH: "path",
};

/** The registry of one scope, such as `npm_config_@acme:registry`. */
const SCOPED_REGISTRY = /^NPM_CONFIG_@[^:]+:REGISTRY$/;

export type Environment = Readonly<Record<string, string | undefined>>;

interface NetworkVariable {
  readonly name: string;
  readonly value: string;
  readonly kind: Kind;
}

/**
 * Programs read proxy variables in upper or lower case, and npm accepts `-` and `_` in settings.
 */
function kindOf(name: string): Kind | undefined {
  const upper = name.toUpperCase();
  if (SCOPED_REGISTRY.test(upper)) return "registry";
  const key = upper.replaceAll("-", "_");
  return Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
}

function find(env: Environment): NetworkVariable[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const kind = kindOf(name);
    return value === undefined || kind === undefined ? [] : [{ name, value, kind }];
  });
}

const withoutCredentials = (text: string): string =>
  text.split(/([\s,|]+)/).map(withoutCredentialsOf).join("");

function withoutCredentialsOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === "" && url.password === "")) return text;
  url.username = "";
  url.password = "";
  return url.href;
}

/** Returns the network settings of an environment, under their original names. */
export function networkVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    find(env).map(({ name, value, kind }) => [
      name,
      kind === "registry" ? withoutCredentials(value) : value,
    ]),
  );
}

/** Returns the files and folders whose absolute paths are in these variables. */
export function networkFiles(env: Environment): string[] {
  const paths = find(env).flatMap(({ value, kind }) => {
    if (kind === "path") return [value];
    return kind === "paths" ? value.split(":") : [];
  });
  return paths.filter((path) => path.startsWith("/"));
}
