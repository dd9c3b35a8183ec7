/** @module The kinds of page URLs, as `svc.toml`, the manifest and the edge name them. */

/**
 * `auto`: only the URL of a folder's page ends with a slash. `always` and `never` apply to all
 * URLs.
 */
export const TRAILING_SLASHES = ["auto", "always", "never"] as const;
export type TrailingSlash = (typeof TRAILING_SLASHES)[number];

/** The URLs of a site's pages. Each setting has a default. */
export interface PageUrls {
  /** `auto` when omitted. */
  readonly trailingSlash?: TrailingSlash | undefined;
  /** Whether URLs leave out `.html`; true when omitted. */
  readonly cleanUrls?: boolean | undefined;
  /** Whether a URL that differs only in case leads to the file; false when omitted. */
  readonly ignoreCase?: boolean | undefined;
}
