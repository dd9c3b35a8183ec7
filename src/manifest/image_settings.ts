/** @module The manifest's `images`: the sizes, formats and sources that `/_svc/image` accepts. */
import * as z from "zod";
import { MAX_REMOTE_PATTERN, parseRemotePattern } from "../lib/remote_pattern.ts";

export const MAX_IMAGE_SIZES = 64;
const MAX_IMAGE_SIDE = 8192;
const MAX_IMAGE_QUALITIES = 20;
export const MAX_IMAGE_HOSTS = 100;
const MAX_IMAGE_ENDPOINTS = 8;
const MAX_IMAGE_PATHS = 50;
const MAX_ENDPOINT_PATH = 256;

/** Maximum time for which a converted image from another site is fresh, in seconds. */
const MAX_TTL_SECONDS = 31_536_000;

/** Formats to send to clients that accept them, in order of preference. */
export const OFFERED_FORMATS = ["avif", "webp"] as const;

/** The URL formats that frameworks use for images. */
const IMAGE_STYLES = ["svc", "next", "astro", "ipx"] as const;

const WANTED_SIZES =
  `Use a list of 1 to ${MAX_IMAGE_SIZES} widths, whole numbers from 1 to ${MAX_IMAGE_SIDE}`;
const WANTED_QUALITIES =
  `Use a list of 1 to ${MAX_IMAGE_QUALITIES} qualities, whole numbers from 1 to 100`;
const WANTED_FORMATS = 'Use a list of the formats "avif" and "webp"';
const WANTED_HOSTS = `Use a list of at most ${MAX_IMAGE_HOSTS} URL patterns`;
const WANTED_HOST =
  'Use a URL pattern such as "https://cdn.example.com/**" or "https://*.example.com/photos/**"';
const WANTED_PATHS = `Use a list of at most ${MAX_IMAGE_PATHS} path patterns`;
const WANTED_PATH = 'Use a path pattern such as "/images/**"';
const WANTED_ENDPOINTS = `Use a list of at most ${MAX_IMAGE_ENDPOINTS} endpoints`;
const WANTED_ENDPOINT_PATH =
  `Use a path of at most ${MAX_ENDPOINT_PATH} characters that begins with /`;
const WANTED_TTL = `Use a whole number of seconds from 0 to ${MAX_TTL_SECONDS}`;
const WANTED_BOOLEAN = "Use true or false";
const WANTED_OBJECT = "Use an object";

const whole = (wanted: string, maximum: number) =>
  z.int(wanted).min(1, wanted).max(maximum, wanted);

const endpoint = z.strictObject({
  path: z.string(WANTED_ENDPOINT_PATH).regex(/^\/[\x21-\x7e]*$/, WANTED_ENDPOINT_PATH)
    .max(MAX_ENDPOINT_PATH, WANTED_ENDPOINT_PATH).describe(
      "Path of the endpoint. For the style ipx, the folder that it serves.",
    ),
  style: z.enum(IMAGE_STYLES, `Use one of ${IMAGE_STYLES.join(", ")}`).describe(
    "Format of its URLs.",
  ),
}, WANTED_OBJECT);

export const imagesSchema = z.strictObject({
  enabled: z.boolean(WANTED_BOOLEAN).optional().describe(
    "Whether to convert images. Default: true.",
  ),
  sizes: z.array(whole(WANTED_SIZES, MAX_IMAGE_SIDE), WANTED_SIZES).min(1, WANTED_SIZES)
    .max(MAX_IMAGE_SIZES, WANTED_SIZES).optional().describe(
      "Allowed widths in pixels.",
    ),
  qualities: z.array(whole(WANTED_QUALITIES, 100), WANTED_QUALITIES).min(1, WANTED_QUALITIES)
    .max(MAX_IMAGE_QUALITIES, WANTED_QUALITIES).optional().describe(
      "Available qualities. Other values use the nearest one.",
    ),
  formats: z.array(z.enum(OFFERED_FORMATS, WANTED_FORMATS), WANTED_FORMATS)
    .max(OFFERED_FORMATS.length, WANTED_FORMATS).optional().describe(
      "Output formats in order of preference, if the client accepts them. Default: avif and webp.",
    ),
  hosts: z.array(
    z.string(WANTED_HOST).max(MAX_REMOTE_PATTERN, WANTED_HOST)
      .refine((text) => parseRemotePattern(text) !== undefined, WANTED_HOST),
    WANTED_HOSTS,
  ).max(MAX_IMAGE_HOSTS, WANTED_HOSTS).optional().describe(
    "URL patterns of images on other sites that can be converted. Default: none.",
  ),
  paths: z.array(
    z.string(WANTED_PATH).regex(/^\/[\x21-\x7e]*$/, WANTED_PATH).max(
      MAX_REMOTE_PATTERN,
      WANTED_PATH,
    ),
    WANTED_PATHS,
  ).max(MAX_IMAGE_PATHS, WANTED_PATHS).optional().describe(
    "Paths of this site's images that can be converted. Default: all.",
  ),
  svg: z.boolean(WANTED_BOOLEAN).optional().describe(
    "Whether to send SVG unchanged, with scripts disabled. Default: false.",
  ),
  minTtlSeconds: z.int(WANTED_TTL).min(0, WANTED_TTL).max(MAX_TTL_SECONDS, WANTED_TTL)
    .optional().describe(
      "Minimum freshness of images from servers or other sites, in seconds. Default: 60.",
    ),
  endpoints: z.array(endpoint, WANTED_ENDPOINTS).max(MAX_IMAGE_ENDPOINTS, WANTED_ENDPOINTS)
    .optional().describe(
      "Framework image endpoints that the platform serves in addition to /_svc/image.",
    ),
}, WANTED_OBJECT);

/** A deployment's image settings. */
export type ImageSettings = Readonly<z.infer<typeof imagesSchema>>;

export type ImageStyle = (typeof IMAGE_STYLES)[number];

/** Default widths, which are the same as in Next.js. */
export const DEFAULT_IMAGE_SIZES: readonly number[] = [
  16,
  32,
  48,
  64,
  96,
  128,
  256,
  384,
  640,
  750,
  828,
  1080,
  1200,
  1920,
  2048,
  3840,
];

export const DEFAULT_IMAGE_QUALITIES: readonly number[] = [25, 40, 50, 60, 75, 80, 90, 100];

/**
 * Merges image settings. The project's settings replace the framework's, except for hosts and
 * endpoints, which are combined.
 */
export function mergeImageSettings(
  framework: ImageSettings | undefined,
  project: ImageSettings | undefined,
): ImageSettings | undefined {
  if (framework === undefined || project === undefined) return project ?? framework;
  const joined = <Item>(one?: readonly Item[], other?: readonly Item[]) =>
    one === undefined && other === undefined
      ? undefined
      : [...new Set([...one ?? [], ...other ?? []])];
  const hosts = joined(framework.hosts, project.hosts);
  const endpoints = joined(framework.endpoints, project.endpoints);
  return {
    ...framework,
    ...project,
    ...(hosts === undefined ? {} : { hosts }),
    ...(endpoints === undefined ? {} : { endpoints }),
  };
}
