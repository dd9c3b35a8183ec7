/**
 * @module Converts other hosts' settings for page URLs into settings in `[static]`. Performs no
 * I/O.
 */
import type { PageUrls } from "../../lib/page_urls.ts";

/** Settings for `[static]` in `svc.toml`. */
export type PageSettings = Pick<PageUrls, "trailingSlash" | "cleanUrls">;

/**
 * Returns the settings equivalent to a field of `vercel.json`, or `undefined` for another field or
 * an invalid value.
 */
export function readVercelSetting(field: string, value: unknown): PageSettings | undefined {
  if (typeof value !== "boolean") return undefined;
  if (field === "cleanUrls") return { cleanUrls: value };
  return field === "trailingSlash" ? { trailingSlash: value ? "always" : "never" } : undefined;
}

const HTML_HANDLING: ReadonlyMap<unknown, PageSettings> = new Map<unknown, PageSettings>([
  ["auto-trailing-slash", { trailingSlash: "auto", cleanUrls: true }],
  ["force-trailing-slash", { trailingSlash: "always", cleanUrls: true }],
  ["drop-trailing-slash", { trailingSlash: "never", cleanUrls: true }],
  ["none", { cleanUrls: false }],
]);

/** The values of Cloudflare's `html_handling`. */
export const HTML_HANDLINGS: readonly unknown[] = [...HTML_HANDLING.keys()];

/**
 * Returns the settings equivalent to a value of `html_handling`, or `undefined` for an unknown one.
 */
export const readHtmlHandling = (value: unknown): PageSettings | undefined =>
  HTML_HANDLING.get(value);

/**
 * Returns the settings equivalent to `pretty_urls` in `[build.processing.html]` of a
 * `netlify.toml`, or `undefined` for any other setting or an invalid value.
 */
export function readPrettyUrls(path: readonly unknown[], value: unknown): PageSettings | undefined {
  const isSetting = path.join(".") === "build.processing.html.pretty_urls";
  return isSetting && typeof value === "boolean" ? { cleanUrls: value } : undefined;
}
