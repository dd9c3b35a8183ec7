/**
 * @module Decides whether an image's source is on the site itself, on a declared site, or not
 * allowed.
 */
import { normalizePath } from "../../rules/mod.ts";
import type { SiteImages } from "./site_images.ts";
import type { QueryProblem } from "./types.ts";

export type JudgedSource =
  | { readonly type: "own"; readonly url: URL }
  | { readonly type: "remote"; readonly url: URL }
  | ({ readonly type: "refused" } & QueryProblem);

const refused = (problem: string): JudgedSource => ({ type: "refused", problem });

function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function judgeOwn(images: SiteImages, url: URL): JudgedSource {
  const path = normalizePath(url.pathname);
  if (typeof path !== "string") return refused("The image URL is invalid.");
  if (images.styleOf(path) !== undefined) {
    return refused("The image URL points back to this endpoint.");
  }
  if (!images.allowsPath(path)) return refused("Images at this path are not converted.");
  url.hash = "";
  return { type: "own", url };
}

/**
 * Checks the source in a URL, which is a path on the site or an absolute URL.
 *
 * @param origin scheme, host and port under which the client reached the site
 */
export function judgeSource(
  images: SiteImages,
  source: string,
  origin: string,
): JudgedSource {
  const base = parseUrl(origin);
  const isPath = source.startsWith("/");
  const url = isPath ? parseUrl(source, base) : parseUrl(source);
  if (base === undefined || url === undefined) {
    return refused(
      "The image URL must be a path that begins with /, or an absolute URL.",
    );
  }
  if (url.origin === base.origin && url.username === "") return judgeOwn(images, url);
  // "//other.test" and "/\other.test" look like paths, but point to other hosts.
  if (isPath || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return refused("The image URL is invalid.");
  }
  return images.allowsRemote(url) ? { type: "remote", url } : refused(
    "Images from that host are not converted: add it to hosts under [images] in svc.toml, or to the framework's own configuration.",
  );
}
