/** @module Converts one image: reads its head, checks its size, and only then decodes it. */
import type Vips from "wasm-vips";
import type { Conversion, ImageFormat } from "../types.ts";
import type { FailedHead } from "../wire.ts";
import type { VipsEngine } from "./load_vips.ts";

type ConvertOutcome =
  | {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly width: number;
    readonly height: number;
  }
  | FailedHead;

/** The value that libvips uses for an unlimited height. */
const ANY_HEIGHT = 10_000_000;

/** Background color for transparent parts in a format without transparency. */
const WHITE = [255, 255, 255];

/** How much lower AVIF's quality number is than JPEG's or WebP's for the same quality. */
const AVIF_QUALITY_STEP = 20;

/**
 * Effort settings for compression. More effort for AVIF would reduce the size by 2%, but would take
 * three times as long.
 */
const AVIF_EFFORT = 1;
const WEBP_EFFORT = 4;
const PNG_COMPRESSION = 6;

function encode(image: Vips.Image, format: ImageFormat, quality: number): Uint8Array {
  switch (format) {
    case "avif":
      return image.heifsaveBuffer({
        compression: "av1",
        Q: Math.max(1, quality - AVIF_QUALITY_STEP),
        bitdepth: 8,
        effort: AVIF_EFFORT,
        keep: 0,
      });
    case "webp":
      return image.webpsaveBuffer({ Q: quality, effort: WEBP_EFFORT, keep: 0 });
    case "jpeg":
      return image.jpegsaveBuffer({
        Q: quality,
        optimize_coding: true,
        interlace: true,
        background: WHITE,
        keep: 0,
      });
    case "png":
      return image.pngsaveBuffer({
        compression: PNG_COMPRESSION,
        palette: quality < 100,
        Q: quality,
        keep: 0,
      });
  }
}

/** Returns the box that the image is fitted into, which is never larger than the image. */
function boxFor(
  head: { readonly width: number; readonly height: number },
  { width, height, fit = "inside" }: Conversion,
): { readonly width: number; readonly options: Record<string, unknown> } {
  if (height === undefined) return { width, options: { height: ANY_HEIGHT, size: "down" } };
  if (fit !== "fill") {
    const crop = fit === "cover" ? { crop: "centre" } : {};
    return { width, options: { height, size: "down", ...crop } };
  }
  return {
    width: Math.min(width, head.width),
    options: { height: Math.min(height, head.height), size: "force" },
  };
}

/**
 * Returns the width and height as displayed. Images with an orientation of 5 or more are stored
 * sideways.
 */
function shownSize(head: Vips.Image): { readonly width: number; readonly height: number } {
  const turned = head.getTypeof("orientation") !== 0 && head.getInt("orientation") >= 5;
  return turned
    ? { width: head.height, height: head.width }
    : { width: head.width, height: head.height };
}

/**
 * Converts an image to sRGB, upright, without its metadata.
 *
 * @throws If libvips finds the content damaged
 */
export function convertImage(
  vips: VipsEngine,
  source: Uint8Array<ArrayBuffer>,
  { conversion, maxPixels }: { readonly conversion: Conversion; readonly maxPixels: number },
): ConvertOutcome {
  const images: Vips.Image[] = [];
  const own = (image: Vips.Image): Vips.Image => {
    images.push(image);
    return image;
  };
  try {
    const head = own(vips.Image.newFromBuffer(source, "", { access: "sequential" }));
    const size = shownSize(head);
    if (size.width * size.height > maxPixels) {
      return {
        reason: "too_large",
        message: `It has ${size.width} × ${size.height} pixels; ` +
          `the limit is ${Math.floor(maxPixels / 1e6)} million`,
      };
    }
    const { width, options } = boxFor(size, conversion);
    const small = own(
      vips.Image.thumbnailBuffer(source, width, {
        ...options,
        fail_on: "error",
        output_profile: "srgb",
      }),
    );
    const shown = own(small.colourspace("srgb"));
    const bytes = encode(shown, conversion.format, conversion.quality);
    return { bytes: new Uint8Array(bytes), width: shown.width, height: shown.height };
  } finally {
    for (const image of images) image.delete();
  }
}
