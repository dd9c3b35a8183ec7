/** @module Network variables for package managers that do not read npm's settings. Pure. */

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables of other package managers, each with the variables that have the same meaning, in order
 * of preference.
 */
const SAME: Readonly<Record<string, readonly string[]>> = {
  YARN_NPM_REGISTRY_SERVER: ["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  YARN_REGISTRY: ["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  BUN_CONFIG_REGISTRY: ["npm_config_registry", "NPM_CONFIG_REGISTRY"],
  NPM_CONFIG_REGISTRY: ["npm_config_registry"],
  YARN_HTTP_PROXY: ["npm_config_proxy", "http_proxy", "HTTP_PROXY"],
  YARN_HTTPS_PROXY: ["npm_config_https_proxy", "https_proxy", "HTTPS_PROXY"],
  YARN_HTTPS_CA_FILE_PATH: ["npm_config_cafile", "NPM_CONFIG_CAFILE"],
};

/** Returns variables that make each package manager use npm's registry and network settings. */
export function managerVariables(env: Environment): Record<string, string> {
  const added: Record<string, string> = {};
  for (const [name, others] of Object.entries(SAME)) {
    if (env[name] !== undefined) continue;
    const value = others.map((other) => env[other]).find((text) => text !== undefined);
    if (value !== undefined) added[name] = value;
  }
  return added;
}
