/**
 * Variables by which an operator tells programs how this machine reaches the
 * network: proxies, certificates, a registry of packages. Pure.
 *
 * @module
 */

const NAMES: ReadonlySet<string> = new Set([
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "NPM_CONFIG_REGISTRY",
  "NPM_CONFIG_CAFILE",
]);

/** Those whose value is a path. */
const PATHS: readonly string[] = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "NPM_CONFIG_CAFILE",
];

export type Environment = Readonly<Record<string, string | undefined>>;

/** What of an environment tells how the network is reached, in whichever case. */
export function networkVariables(env: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && NAMES.has(name.toUpperCase())) found[name] = value;
  }
  return found;
}

/** Files and folders that these variables name. */
export function networkFiles(env: Environment): string[] {
  const found = networkVariables(env);
  return Object.entries(found).flatMap(([name, value]) =>
    PATHS.includes(name.toUpperCase()) && value.startsWith("/") ? [value] : []
  );
}
