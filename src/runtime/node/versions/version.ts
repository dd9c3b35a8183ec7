/** @module Versions of Node: the default version, and the versions on which servers run. */

/**
 * The version for manifests that do not set one. A deployment keeps this version when newer
 * versions are released.
 */
export const DEFAULT_NODE_VERSION = "24";

/** The oldest major version that servers run on. */
const OLDEST_MAJOR = 18;

/** A full version, as `node --version` prints it after the `v`. */
const WHOLE = /^\d+\.\d+\.\d+$/;

/**
 * Returns true if a full version begins with the numbers of a prefix: `24.1.0` satisfies `24` and
 * `24.1`.
 */
export function satisfies(whole: string, wanted: string): boolean {
  return WHOLE.test(whole) && `${whole}.`.startsWith(`${wanted}.`);
}

/** Returns the reason why servers cannot run on a version, or `undefined` if they can. */
export function refuseVersion(wanted: string): string | undefined {
  return Number(wanted.split(".", 1)[0]) < OLDEST_MAJOR
    ? `Node ${wanted} is too old: servers run on Node ${OLDEST_MAJOR} and later. Set a newer ` +
      "one in engines.node in package.json, or in .nvmrc"
    : undefined;
}
