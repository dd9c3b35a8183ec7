/**
 * Screenshots as one moving PNG, which needs no other program (PNG, third edition, 4.8).
 *
 * @module
 */
import assert from "node:assert/strict";
import { chunk, join, SIGNATURE } from "./images.ts";

/** The chunks of a PNG, in their order. */
function* chunksOf(
  png: Uint8Array,
): Generator<{ readonly type: string; readonly data: Uint8Array }> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = SIGNATURE.byteLength; at < png.byteLength;) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    yield { type, data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function numbers(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, at) => view.setUint32(4 * at, value));
  return new Uint8Array(view.buffer);
}

/** Joins PNGs of one size and format; each is shown for so many milliseconds, again and again. */
export function animate(pictures: readonly Uint8Array[], milliseconds: number): Uint8Array {
  const frames = pictures.map((png) => [...chunksOf(png)]);
  const head = frames[0]!.find(({ type }) => type === "IHDR")!.data;
  let sequence = 0;
  const parts = frames.flatMap((chunks, index) => {
    assert.deepEqual(chunks.find(({ type }) => type === "IHDR")!.data, head, `picture ${index}`);
    const control = join([
      numbers(sequence++),
      head.subarray(0, 8),
      numbers(0, 0),
      // The time as a fraction; the whole area is replaced.
      Uint8Array.of(milliseconds >> 8, milliseconds & 255, 1000 >> 8, 1000 & 255, 0, 0),
    ]);
    const content = chunks.filter(({ type }) => type === "IDAT").map(({ data }) =>
      index === 0 ? chunk("IDAT", data) : chunk("fdAT", join([numbers(sequence++), data]))
    );
    return [chunk("fcTL", control), ...content];
  });
  return join([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("acTL", numbers(frames.length, 0)),
    ...parts,
    chunk("IEND", new Uint8Array()),
  ]);
}
