/** @module Parses the URL of an image, in all forms that frameworks use. */
import type { ImageStyle } from "../../manifest/mod.ts";
import {
  IMAGE_FORMATS,
  type ImageFit,
  type ImageFormat,
  MAX_IMAGE_SIDE,
} from "../../runtime/mod.ts";
import type { SiteImages } from "./site_images.ts";
import type { ImageQuery, QueryProblem } from "./types.ts";

/** Quality from 1 to 100 for URLs that do not set one. */
const DEFAULT_QUALITY = 75;

/** Maximum length of a source, in characters. */
const MAX_SOURCE = 4096;

/** Names for qualities (Astro). */
const NAMED_QUALITIES: Readonly<Record<string, number>> = { low: 25, mid: 50, high: 80, max: 100 };

/** Result for URLs that this endpoint leaves to the framework's own endpoint. */
export const NOT_OURS = Symbol("not ours");

type ParsedQuery = ImageQuery | QueryProblem | typeof NOT_OURS;

interface Target {
  readonly path: string;
  readonly query: string;
}

/** Returns a problem with a URL. The text must contain nothing from the request. */
const problem = (text: string): QueryProblem => ({ problem: text });

/** Parses a whole number from 1 to `maximum`, without a sign or leading zeros. */
function wholeNumber(text: string | undefined, maximum: number): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,4}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= maximum ? number : undefined;
}

function toFormat(name: string): ImageFormat | undefined {
  const format = name.toLowerCase() === "jpg" ? "jpeg" : name.toLowerCase();
  return IMAGE_FORMATS.find((known) => known === format);
}

/** Reads the parameters of a query. A repeated name is a problem. */
function parameters(query: string): ReadonlyMap<string, string> | QueryProblem {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (found.has(name)) return problem("A parameter appears twice.");
    found.set(name, value);
  }
  return found;
}

function isProblem(value: ReadonlyMap<string, string> | QueryProblem): value is QueryProblem {
  return "problem" in value;
}

const SVC_PARAMETERS = new Set(["url", "w", "q", "f"]);

/** Parses `?url=…&w=…&q=…&f=…`, which the platform uses. Next.js uses the same form without `f`. */
function parseUrlQuery(images: SiteImages, query: string, style: "svc" | "next"): ParsedQuery {
  const found = parameters(query);
  if (isProblem(found)) return found;
  const unknown = [...found.keys()].find((name) => !SVC_PARAMETERS.has(name));
  if (style === "svc" && unknown !== undefined) {
    return problem("Unknown parameter: use url, w, q and f.");
  }
  const source = found.get("url") ?? "";
  if (source === "") return problem('The parameter "url" is missing.');
  const width = wholeNumber(found.get("w"), MAX_IMAGE_SIDE);
  if (width === undefined || !images.sizes.includes(width)) {
    return problem(`The parameter "w" must be one of ${images.sizes.join(", ")}.`);
  }
  const q = found.get("q");
  const quality = q === undefined && style === "svc" ? DEFAULT_QUALITY : wholeNumber(q, 100);
  if (quality === undefined) {
    return problem('The parameter "q" must be a whole number from 1 to 100.');
  }
  const f = style === "svc" ? found.get("f") ?? "auto" : "auto";
  const format = f === "auto" ? undefined : toFormat(f);
  if (f !== "auto" && format === undefined) {
    return problem(`The parameter "f" must be auto or one of ${IMAGE_FORMATS.join(", ")}.`);
  }
  return { source, width, quality: images.qualityFor(quality), format };
}

/**
 * Returns the dimensions of the box into which an image must fit. If the width is not an allowed
 * size, both dimensions are scaled.
 */
function boxOf(
  images: SiteImages,
  width: number | undefined,
  height: number | undefined,
): Pick<ImageQuery, "width" | "height"> {
  if (width === undefined) {
    return height === undefined
      ? { width: MAX_IMAGE_SIDE }
      : { width: MAX_IMAGE_SIDE, height: images.sizeFor(height) };
  }
  const made = images.sizeFor(width);
  if (height === undefined) return { width: made };
  const scaled = Math.round(height * made / width);
  return { width: made, height: Math.min(MAX_IMAGE_SIDE, Math.max(1, scaled)) };
}

const FITS: Readonly<Record<string, ImageFit>> = {
  cover: "cover",
  fill: "fill",
  contain: "inside",
  inside: "inside",
  "scale-down": "inside",
  none: "inside",
};

/** The query parameters that all frameworks share, as unparsed strings. */
interface ParsedImageQuery {
  readonly source: string;
  readonly w?: string | undefined;
  readonly h?: string | undefined;
  readonly q?: string | undefined;
  readonly f?: string | undefined;
  readonly fit?: string | undefined;
}

function fromParameters(
  images: SiteImages,
  { source, w, h, q, f, fit }: ParsedImageQuery,
): ParsedQuery {
  const width = wholeNumber(w, MAX_IMAGE_SIDE);
  const height = wholeNumber(h, MAX_IMAGE_SIDE);
  if (w !== undefined && width === undefined || h !== undefined && height === undefined) {
    return problem(`Width and height must be whole numbers from 1 to ${MAX_IMAGE_SIDE}.`);
  }
  const quality = q === undefined ? DEFAULT_QUALITY : NAMED_QUALITIES[q] ?? wholeNumber(q, 100);
  if (quality === undefined) return problem("The quality must be a whole number from 1 to 100.");
  const format = f === undefined || f === "auto" ? undefined : toFormat(f);
  if (f !== undefined && f !== "auto" && format === undefined) return NOT_OURS;
  if (fit !== undefined && FITS[fit] === undefined) return NOT_OURS;
  const box = boxOf(images, width, height);
  return {
    source,
    ...box,
    ...(box.height === undefined || width === undefined || fit === undefined
      ? {}
      : { fit: FITS[fit] }),
    quality: images.qualityFor(quality),
    format,
  };
}

const ASTRO_PARAMETERS = new Set(["href", "w", "h", "q", "f", "fit"]);

/** Parses Astro's format: `?href=…&w=…&h=…&q=…&f=…&fit=…`. */
function parseAstro(images: SiteImages, query: string): ParsedQuery {
  const found = parameters(query);
  if (isProblem(found)) return found;
  const source = found.get("href") ?? "";
  if (source === "") return problem('The parameter "href" is missing.');
  if ([...found.keys()].some((name) => !ASTRO_PARAMETERS.has(name))) return NOT_OURS;
  const [w, fit] = [found.get("w"), found.get("fit")];
  // Without `fit`, Astro only scales to the width.
  const h = w !== undefined && fit === undefined ? undefined : found.get("h");
  const keepsSvg = found.get("f") === "svg";
  const f = keepsSvg ? undefined : found.get("f");
  const parsed = fromParameters(images, { source, w, h, q: found.get("q"), f, fit });
  const isQuery = parsed !== NOT_OURS && !("problem" in parsed);
  return keepsSvg && isQuery ? { ...parsed, keepsSvg } : parsed;
}

const IPX_NAMES: Readonly<Record<string, keyof ParsedImageQuery | "s">> = {
  w: "w",
  width: "w",
  h: "h",
  height: "h",
  q: "q",
  quality: "q",
  f: "f",
  format: "f",
  fit: "fit",
  s: "s",
  resize: "s",
};

/**
 * Parses the format of IPX (Nuxt Image): `/<folder>/w_300&f_webp/path/of/image.png`, or `_` for no
 * change.
 */
function parseIpx(folder: string, images: SiteImages, { path, query }: Target): ParsedQuery {
  if (query !== "") return NOT_OURS;
  const rest = path.slice(folder.length);
  const slash = rest.indexOf("/");
  if (slash === -1) return NOT_OURS;
  const name = rest.slice(slash + 1);
  // Normalized paths contain no repeated slashes.
  const remote = /^(https?):\/+(.+)$/.exec(name);
  const parameters: Record<string, string> = {
    source: remote === null ? `/${name}` : `${remote[1]}://${remote[2]}`,
  };
  const modifiers = decodeModifiers(rest.slice(0, slash));
  for (const modifier of modifiers === "_" ? [] : modifiers.split(/[&,]/)) {
    const [, key = "", value = ""] = /^([a-z]+)_(.+)$/i.exec(modifier) ?? [];
    const known = IPX_NAMES[key];
    if (known === undefined) return NOT_OURS;
    const size = known === "s" ? /^(\d+)x(\d+)$/.exec(value) : null;
    if (known === "s" && size === null) return NOT_OURS;
    if (size === null) parameters[known] = value;
    else [parameters.w, parameters.h] = [size[1]!, size[2]!];
  }
  // By default, IPX crops to a box.
  if (parameters.w !== undefined && parameters.h !== undefined) parameters.fit ??= "cover";
  return fromParameters(images, parameters as unknown as ParsedImageQuery);
}

function decodeModifiers(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads the URL of an image in the style of its endpoint. */
export function parseQuery(images: SiteImages, style: ImageStyle, target: Target): ParsedQuery {
  const parsed = style === "astro"
    ? parseAstro(images, target.query)
    : style === "ipx"
    ? parseIpx(images.folderOf(target.path)!, images, target)
    : parseUrlQuery(images, target.query, style);
  if (parsed === NOT_OURS || "problem" in parsed) return parsed;
  return parsed.source.length > MAX_SOURCE
    ? problem(`The image URL has more than ${MAX_SOURCE} characters.`)
    : parsed;
}
