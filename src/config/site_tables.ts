/**
 * @module Tables of `svc.toml` for the site: images, files, open tabs, web vitals, blobs and
 * previews.
 */
import * as z from "zod";
import { TRAILING_SLASHES } from "../lib/page_urls.ts";
import { PROTECTIONS } from "../lib/protection.ts";
import { parseRemotePattern } from "../lib/remote_pattern.ts";
import { parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const FORMATS = ["avif", "webp"] as const;
const ENABLED_RULE = "Use true or false";
const SIZES_RULE = "Use a list of 1 to 64 widths in pixels, whole numbers from 1 to 8192";
const QUALITIES_RULE = "Use a list of 1 to 20 qualities, whole numbers from 1 to 100";
const FORMATS_RULE = 'Use a list of the formats "avif" and "webp"';
const HOSTS_RULE = "Use a list of at most 100 URL patterns";
const HOST_PATTERN_RULE = 'Use a URL pattern such as "https://cdn.example.com/**"';
const TTL_RULE = "Use a whole number of seconds from 0 to 31536000";

export const images = table({
  enabled: z.boolean(ENABLED_RULE).optional().meta({
    description: "Whether /_svc/image converts images; true when omitted.",
  }),
  sizes: z.array(z.int(SIZES_RULE).min(1, SIZES_RULE).max(8192, SIZES_RULE), SIZES_RULE)
    .min(1, SIZES_RULE).max(64, SIZES_RULE).optional().meta({
      description: "Allowed widths in pixels.",
      examples: [[320, 640, 1280]],
    }),
  qualities: z.array(
    z.int(QUALITIES_RULE).min(1, QUALITIES_RULE).max(100, QUALITIES_RULE),
    QUALITIES_RULE,
  ).min(1, QUALITIES_RULE).max(20, QUALITIES_RULE).optional().meta({
    description: "Available qualities. Other values use the nearest one.",
    examples: [[60, 80]],
  }),
  formats: z.array(z.enum(FORMATS, FORMATS_RULE), FORMATS_RULE).max(2, FORMATS_RULE)
    .optional().meta({
      description: "Output formats in order of preference, if the client accepts them.",
      examples: [["avif", "webp"]],
    }),
  hosts: z.array(
    z.string(HOST_PATTERN_RULE)
      .refine((text) => parseRemotePattern(text) !== undefined, HOST_PATTERN_RULE),
    HOSTS_RULE,
  ).max(100, HOSTS_RULE).optional().meta({
    description: "Other sites whose images are converted.",
    examples: [["https://cdn.example.com/**"]],
  }),
  svg: z.boolean(ENABLED_RULE).optional().meta({
    description: "Whether SVG is passed through, with its scripts disabled; false when omitted.",
  }),
  min_ttl: z.int(TTL_RULE).min(0, TTL_RULE).max(31_536_000, TTL_RULE).optional().meta({
    description:
      "Minimum time for which an image from a server or another site is fresh, in seconds; 60 " +
      "when omitted.",
  }),
});

const PREFIXES_RULE = "Use a list of at most 100 key prefixes";
const TRAILING_SLASH_RULE = `Use ${TRAILING_SLASHES.map((each) => `"${each}"`).join(", ")}`;

/** Maximum value of `keep_assets`: 90 days. */
const MAX_KEEP_MS = 90 * 86_400_000;
/** Maximum value of `max_age` in `[skew]`: 7 days. */
const MAX_SKEW_MS = 7 * 86_400_000;
const KEEP_RULE = 'Use a time of at most 90 days, such as "7d" or "12h", or false';
const SKEW_RULE = 'Use a time of at most 7 days, such as "1h" or "30m", or false';

/** Declares a time from 0 to `maxMs`, in milliseconds. `false` means 0. */
const timeUpTo = (maxMs: number, rule: string) =>
  z.union([z.string(), z.int(), z.literal(false)], rule).refine((value) => {
    const time = value === false ? 0 : parseTime(value);
    return time !== undefined && time >= 0 && time <= maxMs;
  }, rule);

export const staticSite = table({
  spa: z.boolean(ENABLED_RULE).optional().meta({
    description:
      "Whether to serve index.html for documents without a file, as single-page apps need. Depends on the framework if omitted.",
  }),
  trailing_slash: z.enum(TRAILING_SLASHES, TRAILING_SLASH_RULE).optional().meta({
    description:
      "Whether URLs of pages end with a slash: auto (only URLs of folders), always or never. Other URLs of a page redirect to it. Depends on the framework if omitted, otherwise auto.",
    examples: ["never"],
  }),
  clean_urls: z.boolean(ENABLED_RULE).optional().meta({
    description:
      "Whether URLs of pages leave out .html. Depends on the framework if omitted, otherwise true.",
  }),
  ignore_case: z.boolean(ENABLED_RULE).optional().meta({
    description:
      "Whether a URL that differs only in case redirects to the file; false when omitted.",
  }),
  keep_assets: timeUpTo(MAX_KEEP_MS, KEEP_RULE).optional().meta({
    description:
      "How long production still serves hashed assets from earlier deployments that the live one lacks; 7 days when omitted. 0 or false turns it off. A number counts seconds.",
    examples: ["7d", false],
  }),
});

export const skew = table({
  max_age: timeUpTo(MAX_SKEW_MS, SKEW_RULE).optional().meta({
    description:
      "How long a replaced deployment still responds to requests from its pages; 1 hour when " +
      "omitted. 0 or false turns it off. A number counts seconds.",
    examples: ["1h", false],
  }),
});

export const traffic = table({
  vitals: z.boolean(ENABLED_RULE).optional().meta({
    description: "Whether /_svc/vitals.js measures visitors' web vitals; false when omitted.",
  }),
});

export const blobs = table({
  public: z.array(z.string(PREFIXES_RULE).max(1024, PREFIXES_RULE), PREFIXES_RULE)
    .max(100, PREFIXES_RULE).optional().meta({
      description:
        "Prefixes of keys whose objects anyone can read at /_svc/blobs/<key>; none when omitted.",
      examples: [["photos/"]],
    }),
  preview: z.enum(["empty", "copy"], 'Use "empty" or "copy"').optional().meta({
    description: "Whether the blob stores of other environments start empty, or as a copy of " +
      "production's; empty when omitted.",
    examples: ["copy"],
  }),
});

const PROTECTION_RULE = `Use ${PROTECTIONS.map((each) => `"${each}"`).join(", ")}`;

export const previews = table({
  protection: z.enum(PROTECTIONS, PROTECTION_RULE).optional().meta({
    description:
      "Who can visit previews: everyone (off), members of the workspace (members), or also " +
      "anyone with the project's password (password). With all, production is for members " +
      "too. The project's setting applies when omitted.",
    examples: ["members"],
  }),
});
