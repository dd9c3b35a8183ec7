/** @module Versions of Node. Pure. */

/** The version for manifests without one. A deployment keeps it when newer ones are released. */
export const DEFAULT_NODE_VERSION = "24";

/** The oldest major version that servers run on. */
const OLDEST_MAJOR = 18;

/** A whole version, as `node --version` prints it after the `v`. */
const WHOLE = /^\d+\.\d+\.\d+$/;

/** True if a whole version begins with the numbers of another: `24.1.0` with `24` or `24.1`. */
export function satisfies(whole: string, wanted: string): boolean {
  return WHOLE.test(whole) && `${whole}.`.startsWith(`${wanted}.`);
}

/** Why servers cannot run on a version; `undefined` if they can. */
export function refuseVersion(wanted: string): string | undefined {
  return Number(wanted.split(".", 1)[0]) < OLDEST_MAJOR
    ? `Node ${wanted} is too old: servers run on Node ${OLDEST_MAJOR} and later. Set a newer ` +
      "one in engines.node of package.json, or in .nvmrc"
    : undefined;
}
