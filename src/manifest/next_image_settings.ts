/** @module Converts the `images` of a Next.js configuration to a manifest's image settings. */
import * as z from "zod";
import { parseRemotePattern } from "../lib/remote_pattern.ts";
import {
  type ImageSettings,
  imagesSchema,
  MAX_IMAGE_HOSTS,
  MAX_IMAGE_SIZES,
  OFFERED_FORMATS,
} from "./image_settings.ts";

const widths = z.array(z.int().min(1).max(8192));

const remotePattern = z.object({
  protocol: z.string().optional(),
  hostname: z.string(),
  port: z.string().optional(),
  pathname: z.string().optional(),
});

/** The relevant fields of `config.images` in `.next/required-server-files.json`. */
const nextImages = z.object({
  deviceSizes: widths.optional(),
  imageSizes: widths.optional(),
  qualities: z.array(z.int().min(1).max(100)).nullish(),
  formats: z.array(z.string()).optional(),
  path: z.string().optional(),
  loader: z.string().optional(),
  unoptimized: z.boolean().optional(),
  minimumCacheTTL: z.number().optional(),
  dangerouslyAllowSVG: z.boolean().optional(),
  domains: z.array(z.string()).optional(),
  remotePatterns: z.array(remotePattern).optional(),
  localPatterns: z.array(z.object({ pathname: z.string().optional() })).optional(),
});

interface NextImageSettings {
  /**
   * Missing if Next.js uses a different image loader or none, and therefore does not convert images
   * itself.
   */
  readonly images?: ImageSettings;
  /**
   * Patterns for other sites that have no equivalent in the manifest, as written in the
   * configuration.
   */
  readonly dropped: readonly string[];
}

function hostsOf({ domains = [], remotePatterns = [] }: z.infer<typeof nextImages>) {
  const wanted = [
    ...domains.flatMap((domain) => [`https://${domain}`, `http://${domain}`]),
    ...remotePatterns.flatMap(({ protocol, hostname, port = "", pathname = "" }) => {
      const rest = `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
      const schemes = protocol === undefined ? ["https", "http"] : [protocol.replace(/:$/, "")];
      return schemes.map((scheme) => `${scheme}://${rest}`);
    }),
  ];
  const hosts = wanted.filter((pattern) => parseRemotePattern(pattern) !== undefined)
    .slice(0, MAX_IMAGE_HOSTS);
  return { hosts, dropped: wanted.filter((pattern) => !hosts.includes(pattern)) };
}

/** Returns the paths of images that can be converted. An empty list means all paths. */
function pathsOf({ localPatterns = [] }: z.infer<typeof nextImages>): readonly string[] {
  const paths = localPatterns.map(({ pathname = "**" }) => pathname);
  return paths.some((path) => path === "**" || path === "/**") ? [] : paths;
}

/**
 * Reads `config.images` from a Next.js build, so the platform can serve Next.js's image endpoint
 * with the sizes, formats and sites that the project declared.
 *
 * @param config the parsed JSON, not validated
 * @param basePath Next.js's `basePath`, "" for none
 */
export function imageSettingsOfNext(config: unknown, basePath = ""): NextImageSettings {
  const { data } = nextImages.safeParse(config);
  if (data === undefined || data.unoptimized === true) return { dropped: [] };
  if (data.loader !== undefined && data.loader !== "default") return { dropped: [] };
  const { hosts, dropped } = hostsOf(data);
  const sizes = [...new Set([...data.deviceSizes ?? [], ...data.imageSizes ?? []])];
  const formats = OFFERED_FORMATS.filter((format) => data.formats?.includes(`image/${format}`));
  const ordered = formats.toSorted((left, right) =>
    data.formats!.indexOf(`image/${left}`) - data.formats!.indexOf(`image/${right}`)
  );
  const paths = pathsOf(data);
  const path = data.path ?? `${basePath}/_next/image`;
  const images = imagesSchema.safeParse({
    ...(sizes.length === 0 ? {} : { sizes: sizes.slice(0, MAX_IMAGE_SIZES) }),
    ...(data.qualities ? { qualities: data.qualities } : {}),
    ...(data.formats === undefined ? {} : { formats: ordered }),
    ...(data.dangerouslyAllowSVG === undefined ? {} : { svg: data.dangerouslyAllowSVG }),
    ...(data.minimumCacheTTL === undefined
      ? {}
      : { minTtlSeconds: Math.min(31_536_000, Math.max(0, Math.floor(data.minimumCacheTTL))) }),
    ...(paths.length === 0 ? {} : { paths }),
    hosts,
    endpoints: [{ path, style: "next" }],
  });
  return images.success ? { images: images.data, dropped } : { dropped };
}
