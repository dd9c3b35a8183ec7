/** @module Inputs and results of conversions. */

export const IMAGE_FORMATS = ["avif", "webp", "jpeg", "png"] as const;

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** How to fit an image into a box of a given width and height. */
const IMAGE_FITS = ["inside", "cover", "fill"] as const;

export type ImageFit = (typeof IMAGE_FITS)[number];

/** How one image is converted. */
export interface Conversion {
  /** Width of the result in pixels, limited to the source's width. */
  readonly width: number;
  /** Height of the box; by default, it follows from the width. */
  readonly height?: number | undefined;
  /**
   * How to fit the image into a given height: `inside` the box, `cover` (cropped), or `fill`
   * (distorted).
   */
  readonly fit?: ImageFit | undefined;
  /** A number from 1 to 100. */
  readonly quality: number;
  readonly format: ImageFormat;
}

export interface ConvertJob extends Conversion {
  readonly source: Uint8Array<ArrayBuffer>;
  /** The owner of the job. Owners take turns. */
  readonly owner: string;
}

/**
 * Why an image was not converted. Its content is `broken` or has too many pixels (`too_large`), or
 * the conversion took too much time or memory. Otherwise, too many jobs are waiting (`busy`), or
 * the engine cannot run (`unavailable`).
 */
const CONVERT_FAILURES = [
  "broken",
  "too_large",
  "timeout",
  "memory",
  "busy",
  "unavailable",
] as const;

export type ConvertFailure = (typeof CONVERT_FAILURES)[number];

export type ConvertResult =
  | {
    readonly ok: true;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly width: number;
    readonly height: number;
  }
  | { readonly ok: false; readonly reason: ConvertFailure; readonly message: string };
