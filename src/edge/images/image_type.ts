/** @module Detects the type of an image from its first bytes. */
import type { ImageFormat } from "../../runtime/mod.ts";

/** Recognized types. Images of a type that cannot be converted are passed through or rejected. */
type ImageType = ImageFormat | "gif" | "svg" | "ico" | "jxl" | "heic" | "bmp";

export interface SniffedImage {
  readonly type: ImageType;
  /** Whether the image has several frames. */
  readonly isAnimated: boolean;
}

export const MEDIA_TYPES: Readonly<Record<ImageType, string>> = {
  avif: "image/avif",
  webp: "image/webp",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  svg: "image/svg+xml",
  ico: "image/x-icon",
  jxl: "image/jxl",
  heic: "image/heic",
  bmp: "image/bmp",
};

/** Number of bytes in which to search for brands. */
const BRANDS_BYTES = 512;

/** Position and value of the animation flag in an extended WebP. */
const WEBP_FLAGS_AT = 20;
const WEBP_ANIMATION = 0x02;

/** Number of bytes in which to search for the root element. */
const SVG_HEAD_BYTES = 1024;

/** Converts each byte to the character with the same code point. */
const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Whether a GIF has a second image. Skips the blocks of the first image. */
function isAnimatedGif(bytes: Uint8Array): boolean {
  const packed = bytes[10] ?? 0;
  let at = 13 + ((packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1));
  let images = 0;
  const skipBlocks = (): void => {
    while (at < bytes.byteLength && bytes[at] !== 0) at += bytes[at]! + 1;
    at++;
  };
  while (at < bytes.byteLength) {
    const kind = bytes[at];
    if (kind === 0x21) {
      at += 2;
      skipBlocks();
    } else if (kind === 0x2c) {
      if (++images > 1) return true;
      const flags = bytes[at + 9] ?? 0;
      at += 11 + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
      skipBlocks();
    } else return false;
  }
  return false;
}

/** Whether a PNG declares animation frames before its first pixels. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= bytes.byteLength; at += 12 + view.getUint32(at)) {
    const chunk = textOf(bytes, at + 4, at + 8);
    if (chunk === "acTL") return true;
    if (chunk === "IDAT") return false;
  }
  return false;
}

function isAnimatedWebp(bytes: Uint8Array): boolean {
  const flags = bytes[WEBP_FLAGS_AT] ?? 0;
  return textOf(bytes, 12, 16) === "VP8X" && (flags & WEBP_ANIMATION) !== 0;
}

/**
 * Recognizes an image by the `ftyp` brands of the ISO base media file format (AVIF and related
 * formats).
 */
function brandedType(bytes: Uint8Array): SniffedImage | undefined {
  const size = Math.min(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), BRANDS_BYTES);
  const brands = textOf(bytes, 8, size);
  if (brands.startsWith("avis")) return { type: "avif", isAnimated: true };
  if (brands.includes("avif")) return { type: "avif", isAnimated: false };
  return /heic|heix|mif1|msf1/.test(brands) ? { type: "heic", isAnimated: false } : undefined;
}

/** Whether bytes look like an SVG document: text whose first element is `<svg>`. */
function isSvg(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, SVG_HEAD_BYTES)).trimStart();
  // HTML can contain `<svg>` too, but does not begin with it.
  const root = /<(?:!doctype html|[a-z][^\s/>]*)/i.exec(text.replaceAll(/<!--.*?(?:-->|$)/gs, ""))
    ?.[0];
  return text.startsWith("<") && root?.toLowerCase() === "<svg";
}

/** Recognizes an image's type. Returns `undefined` for anything else. */
export function sniffImage(bytes: Uint8Array): SniffedImage | undefined {
  if (bytes.byteLength < 12) return undefined;
  const head = textOf(bytes, 0, 12);
  const still = (type: ImageType): SniffedImage => ({ type, isAnimated: false });
  if (head.startsWith("\xff\xd8\xff")) return still("jpeg");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) {
    return { type: "png", isAnimated: isAnimatedPng(bytes) };
  }
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) {
    return { type: "webp", isAnimated: isAnimatedWebp(bytes) };
  }
  if (/^GIF8[79]a/.test(head)) return { type: "gif", isAnimated: isAnimatedGif(bytes) };
  if (head.slice(4, 8) === "ftyp") return brandedType(bytes);
  if (head.startsWith("\0\0\x01\0")) return still("ico");
  if (head.startsWith("\xff\x0a") || head.startsWith("\0\0\0\x0cJXL ")) return still("jxl");
  if (head.startsWith("BM")) return still("bmp");
  return isSvg(bytes) ? still("svg") : undefined;
}
