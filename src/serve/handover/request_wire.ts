/**
 * The fields by which a platform tells its successor what it knows of a request that it
 * passes on. Only this user can reach the socket, so no client can write them.
 *
 * @module
 */
export const URL_FIELD = "x-svc-handover-url";
export const ADDRESS_FIELD = "x-svc-handover-address";
export const SCHEME_FIELD = "x-svc-handover-scheme";

export const HANDOVER_FIELDS: ReadonlySet<string> = new Set([
  URL_FIELD,
  ADDRESS_FIELD,
  SCHEME_FIELD,
]);

/** Methods whose content the Fetch standard does not let a `Request` have. */
export const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
