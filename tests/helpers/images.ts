/**
 * Creates images for tests, and decodes images with the engine to check results.
 *
 * @module
 */
import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import { ImageEngine, imageProcessCommand } from "../../src/runtime/mod.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.byteLength);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.byteLength, crc32(bytes.subarray(4, 8 + data.byteLength)));
  return bytes;
}

function join(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

function header(width: number, height: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(13));
  view.setUint32(0, width);
  view.setUint32(4, height);
  // The bit depth and the color type: 8 bits each for red, green and blue.
  view.setUint16(8, 0x0802);
  return new Uint8Array(view.buffer);
}

/**
 * Creates a PNG with a gradient. Different values of `seed` result in different images of the same
 * size.
 */
export function makePng(width: number, height: number, seed = 0): Bytes {
  const rows = new Uint8Array(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows.set([x * 255 / width, y * 255 / height, (seed * 40) & 255], at);
    }
  }
  return join([
    SIGNATURE,
    chunk("IHDR", header(width, height)),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** Creates a PNG whose header declares larger dimensions than its few bytes contain. */
export function makeBomb(width: number, height: number): Bytes {
  return join([
    SIGNATURE,
    chunk("IHDR", header(width, height)),
    chunk("IDAT", deflateSync(new Uint8Array(1000))),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** Creates a PNG that declares that it is animated. */
export function makeAnimatedPng(width: number, height: number): Bytes {
  const png = makePng(width, height);
  const frames = chunk("acTL", Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0));
  return join([png.subarray(0, 33), frames, png.subarray(33)]);
}

/** Returns the width and height in a PNG header. */
export function pngSize(bytes: Uint8Array): readonly [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

/** Opens an engine for tests, which is closed when the tests have finished. */
export function openEngine(
  options: Partial<ConstructorParameters<typeof ImageEngine>[0]> = {},
): ImageEngine & AsyncDisposable {
  const engine = new ImageEngine({
    spawn: imageProcessCommand({ env: Deno.env.toObject() }),
    onTrouble: () => {},
    ...options,
  });
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}

/** Decodes an image in any format and returns its size. */
export async function decodedSize(
  engine: ImageEngine,
  image: Uint8Array,
): Promise<readonly [number, number]> {
  const source = new Uint8Array(image);
  const result = await engine.convert({
    source,
    owner: "test",
    width: 8192,
    quality: 100,
    format: "png",
  });
  assert.ok(result.ok, JSON.stringify(result));
  return pngSize(result.bytes);
}

/** Returns a JPEG with an orientation in its metadata (Exif). 6 means a quarter turn. */
export function withOrientation(jpeg: Bytes, orientation: number): Bytes {
  const exif = Uint8Array.of(
    0x45,
    0x78,
    0x69,
    0x66,
    0,
    0,
    0x4d,
    0x4d,
    0,
    0x2a,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  );
  const segment = Uint8Array.of(0xff, 0xe1, 0, exif.byteLength + 2, ...exif);
  return join([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Encodes numbers in ICC profile format: 16 bits before and 16 bits after the binary point. */
function fixed(...numbers: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.length * 4));
  numbers.forEach((number, at) => view.setInt32(at * 4, Math.round(number * 65_536)));
  return new Uint8Array(view.buffer);
}

const word = (number: number): Uint8Array => {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, number);
  return new Uint8Array(view.buffer);
};

/** Creates an ICC profile like sRGB, but with red and green swapped. */
function swappedProfile(): Uint8Array {
  const none = word(0);
  const xyz = (...values: readonly number[]) => join([ascii("XYZ "), none, fixed(...values)]);
  const curve = join([ascii("curv"), none, word(1), Uint8Array.of(2, 0x33, 0, 0)]);
  const name = ascii("swapped\0");
  const description = join([
    ascii("desc"),
    none,
    word(name.byteLength),
    name,
    new Uint8Array(80),
  ]);
  const red = xyz(0.4360, 0.2225, 0.0139);
  const green = xyz(0.3851, 0.7169, 0.0971);
  const tags: readonly (readonly [string, Uint8Array])[] = [
    ["desc", description],
    ["cprt", join([ascii("text"), none, ascii("none\0\0\0\0")])],
    ["wtpt", xyz(0.9642, 1, 0.8249)],
    ["rXYZ", green],
    ["gXYZ", red],
    ["bXYZ", xyz(0.1431, 0.0606, 0.7141)],
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ];
  let at = 128 + 4 + tags.length * 12;
  const table = tags.map(([tag, data]) => {
    const row = join([ascii(tag), word(at), word(data.byteLength)]);
    at += data.byteLength;
    return row;
  });
  const head = new Uint8Array(128);
  head.set(word(at), 0);
  head.set(word(0x02100000), 8);
  head.set(ascii("mntrRGB XYZ "), 12);
  head.set(Uint8Array.of(0x07, 0xd0, 0, 1, 0, 1), 24);
  head.set(ascii("acsp"), 36);
  head.set(fixed(0.9642, 1, 0.8249), 68);
  return join([head, word(tags.length), ...table, ...tags.map(([, data]) => data)]);
}

/** Creates a PNG with red pixels, and a profile that makes them green. */
export function withSwappedColors(width: number, height: number): Bytes {
  const row = Uint8Array.of(0, ...Array.from({ length: width }, () => [255, 0, 0]).flat());
  const rows = join(Array.from({ length: height }, () => row));
  const profile = join([ascii("swapped\0"), Uint8Array.of(0), deflateSync(swappedProfile())]);
  return join([
    SIGNATURE,
    chunk("IHDR", header(width, height)),
    chunk("iCCP", profile),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}
