/**
 * Header fields in which a platform passes information about a request to its successor. Only this
 * user can reach the socket, so clients cannot forge these fields.
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

/** Methods for which the Fetch standard does not allow content in a `Request`. */
export const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
