/** @module Types for the decisions of the image endpoint, and for conversions. */
import type { ImageFit, ImageFormat } from "../../runtime/mod.ts";
import type { Bytes } from "../messages/body.ts";

/** The target of a conversion: a format, or `same` for the source's format. */
export type TargetFormat = ImageFormat | "same";

/** A requested image, restricted to what the site allows. */
export interface ImageQuery {
  /** Path, or absolute URL, of the source. */
  readonly source: string;
  /** Maximum width in pixels. Images are never enlarged. */
  readonly width: number;
  readonly height?: number | undefined;
  readonly fit?: ImageFit | undefined;
  /** 1 to 100. */
  readonly quality: number;
  /** The format in the URL. If missing, `Accept` determines the format. */
  readonly format?: ImageFormat | undefined;
  /** Whether an SVG of the site itself is passed through, as the framework would do. */
  readonly keepsSvg?: boolean;
}

/** The reason why a query is rejected, for the author of the URL. */
export interface QueryProblem {
  readonly problem: string;
}

export interface ConvertedImage {
  readonly format: ImageFormat;
  readonly bytes: Bytes;
}

/** The outcome of a request to convert an image. */
export type ImageOutcome =
  | { readonly type: "converted"; readonly image: ConvertedImage; readonly isNew: boolean }
  /** The source is passed through. It is animated or cannot be converted here. */
  | { readonly type: "original"; readonly reason?: string }
  /** Too many images are waiting for conversion. */
  | { readonly type: "busy" }
  /** The source is not an image or has too many pixels, as `reason` explains. */
  | { readonly type: "refused"; readonly status: 413 | 422; readonly reason: string };

/** A source to convert, and how to convert it. */
export interface ImageOrder {
  readonly projectId: string;
  /** Identifies the result by the source and the conversion. */
  readonly key: string;
  readonly conversion: Pick<ImageQuery, "width" | "height" | "fit" | "quality">;
  readonly format: ImageFormat;
  readonly source: Bytes;
  /** Whether the result may be stored for other visitors. */
  readonly isShared: boolean;
}

/** Converts images and stores the results. The platform implements it. */
export interface ImageService {
  /** Finds the stored result with `key`. */
  find(projectId: string, key: string): Promise<ConvertedImage | undefined>;
  /** Returns the outcome of a failed conversion with `key`, if the reason still applies. */
  knownFailure(key: string): ImageOutcome | undefined;
  convert(order: ImageOrder): Promise<ImageOutcome>;
}
