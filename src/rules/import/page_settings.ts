/** @module Converts other hosts' settings for page URLs to settings in `[static]`. Pure. */
import type { PageUrls } from "../../lib/page_urls.ts";

/** Settings for `[static]` in `svc.toml`. */
export type PageSettings = Pick<PageUrls, "trailingSlash" | "cleanUrls">;

/** A `vercel.json` setting; `undefined` for another field, or an invalid value. */
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

/** The settings equivalent to a value of `html_handling`; `undefined` for an unknown one. */
export const readHtmlHandling = (value: unknown): PageSettings | undefined =>
  HTML_HANDLING.get(value);

/** `[build.processing.html] pretty_urls` in `netlify.toml`; `undefined` for anything else. */
export function readPrettyUrls(path: readonly unknown[], value: unknown): PageSettings | undefined {
  const isSetting = path.join(".") === "build.processing.html.pretty_urls";
  return isSetting && typeof value === "boolean" ? { cleanUrls: value } : undefined;
}
