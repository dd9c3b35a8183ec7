import assert from "node:assert/strict";
import { sniffImage } from "./image_type.ts";

const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

function bytes(...parts: readonly (string | readonly number[])[]): Uint8Array {
  const all = parts.flatMap((part) => typeof part === "string" ? ascii(part) : [...part]);
  return Uint8Array.from([...all, ...Array(Math.max(0, 32 - all.length)).fill(0)]);
}

const PNG = [0x89, ...ascii("PNG\r\n\x1a\n")];
const IHDR = [0, 0, 0, 13, ...ascii("IHDR"), ...Array(17).fill(0)];
/** A long color profile before the chunk that declares the frames. */
const ICCP = [0, 0, 0x20, 0, ...ascii("iCCP"), ...Array(0x2000 + 4).fill(0)];
const GIF_HEAD = [...ascii("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...Array(6).fill(0)];
const GIF_FRAME = [0x2c, ...Array(9).fill(0), 2, 1, 0, 0];
const GIF_EXTENSION = [0x21, 0xf9, 4, 0, 0, 0, 0, 0];

Deno.test("sniffImage() recognizes images by their first bytes", () => {
  const rows: readonly (readonly [string, Uint8Array, string | undefined])[] = [
    ["JPEG", bytes([0xff, 0xd8, 0xff, 0xe0]), "jpeg"],
    ["PNG", bytes(PNG, IHDR, [0, 0, 0, 0], "IDAT"), "png"],
    ["APNG", bytes(PNG, IHDR, [0, 0, 0, 8], "acTL"), "png moves"],
    ["APNG after a profile", bytes(PNG, IHDR, ICCP, [0, 0, 0, 8], "acTL"), "png moves"],
    ["PNG with acTL in its pixels", bytes(PNG, IHDR, [0, 0, 0, 8], "IDATacTLacTL"), "png"],
    ["WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 "), "webp"],
    ["extended WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0x10]), "webp"],
    [
      "moving WebP",
      bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0x12]),
      "webp moves",
    ],
    ["GIF", bytes(GIF_HEAD, GIF_EXTENSION, GIF_FRAME, [0x3b]), "gif"],
    ["moving GIF", bytes(GIF_HEAD, GIF_FRAME, GIF_EXTENSION, GIF_FRAME), "gif moves"],
    ["GIF that ends early", bytes(GIF_HEAD, [0x2c]), "gif"],
    ["AVIF", bytes([0, 0, 0, 24], "ftypavif", [0, 0, 0, 0], "mif1miaf"), "avif"],
    ["AVIF as its second brand", bytes([0, 0, 0, 24], "ftypmif1", [0, 0, 0, 0], "avif"), "avif"],
    ["moving AVIF", bytes([0, 0, 0, 24], "ftypavis", [0, 0, 0, 0], "avif"), "avif moves"],
    ["HEIC", bytes([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "mif1"), "heic"],
    ["MP4", bytes([0, 0, 0, 24], "ftypisom", [0, 0, 0, 0], "mp42"), undefined],
    ["SVG", bytes('<?xml version="1.0"?><!-- a --><svg xmlns="x"></svg>'), "svg"],
    [
      "SVG with a document type",
      bytes('<!DOCTYPE svg PUBLIC "x" [<!ENTITY ns "http://x">]>\n<!-- <g> --><svg>'),
      "svg",
    ],
    ["XML that ends within a comment", bytes('<?xml version="1.0"?><!-- <svg>'), undefined],
    ["HTML with an SVG image", bytes("<!-- <svg> --><html><body><svg></svg>"), undefined],
    ["HTML that begins with an SVG image", bytes("<!doctype html><svg></svg>"), undefined],
    ["HTML", bytes("<!doctype html><html><body></body></html>"), undefined],
    ["ICO", bytes([0, 0, 1, 0, 1, 0]), "ico"],
    ["BMP", bytes("BM"), "bmp"],
    ["text", bytes("text, not an image"), undefined],
    ["nothing", new Uint8Array(), undefined],
  ];
  for (const [name, content, expected] of rows) {
    const found = sniffImage(content);
    const text = found && `${found.type}${found.isAnimated ? " moves" : ""}`;
    assert.equal(text, expected, name);
  }
});
