/**
 * Tests the engine's results in its own process, and that untrusted bytes cannot harm the engine.
 */
import assert from "node:assert/strict";
import {
  decodedSize,
  makeBomb,
  makePng,
  openEngine,
  pngSize,
  withOrientation,
  withSwappedColors,
} from "../../helpers/images.ts";
import {
  type ConvertJob,
  IMAGE_FORMATS,
  type ImageFormat,
  MAX_SOURCE_BYTES,
} from "../../../src/runtime/mod.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const job = (source: Bytes, more: Partial<ConvertJob> = {}): ConvertJob => ({
  source,
  owner: "one",
  width: 100,
  quality: 75,
  format: "webp",
  ...more,
});

/** Each format's signature, and the offset at which the signature starts. */
const SIGNATURES: Readonly<Record<ImageFormat, readonly [number, string]>> = {
  avif: [4, "ftypavif"],
  webp: [8, "WEBP"],
  jpeg: [0, "\xff\xd8\xff"],
  png: [1, "PNG\r\n"],
};

function assertFormat(bytes: Bytes, format: ImageFormat): void {
  const [at, signature] = SIGNATURES[format];
  const found = String.fromCharCode(...bytes.subarray(at, at + signature.length));
  assert.equal(found, signature);
}

Deno.test("each format can be converted to any other, and images are not enlarged", async () => {
  await using engine = openEngine();
  const sources: Partial<Record<ImageFormat, Bytes>> = {};
  for (const format of IMAGE_FORMATS) {
    const made = await engine.convert(job(makePng(300, 200), { width: 8192, format }));
    assert.ok(made.ok, JSON.stringify(made));
    assert.deepEqual([made.width, made.height], [300, 200]);
    assertFormat(made.bytes, format);
    sources[format] = made.bytes;
  }
  for (const source of Object.values(sources)) {
    for (const format of IMAGE_FORMATS) {
      const made = await engine.convert(job(source, { width: 150, format }));
      assert.ok(made.ok, JSON.stringify(made));
      assert.deepEqual([made.width, made.height], [150, 100]);
      assert.deepEqual(await decodedSize(engine, made.bytes), [150, 100]);
    }
  }
});

Deno.test("images fit into, are cropped to or fill a box", async () => {
  await using engine = openEngine();
  const rows = [
    [{ width: 100, height: 100, fit: "inside" }, [100, 50]],
    [{ width: 100, height: 20, fit: "inside" }, [40, 20]],
    [{ width: 100, height: 100, fit: "cover" }, [100, 100]],
    [{ width: 100, height: 80, fit: "fill" }, [100, 80]],
    [{ width: 9000, height: 9000, fit: "fill" }, [400, 200]],
    [{ width: 8192, height: 50 }, [100, 50]],
  ] as const;
  for (const [box, size] of rows) {
    const made = await engine.convert(job(makePng(400, 200), { ...box, format: "png" }));
    assert.ok(made.ok, JSON.stringify(made));
    assert.deepEqual(pngSize(made.bytes), size, JSON.stringify(box));
  }
});

Deno.test("photos are rotated upright and keep their profile's colors", async () => {
  await using engine = openEngine();
  const jpeg = await engine.convert(job(makePng(300, 100), { width: 8192, format: "jpeg" }));
  assert.ok(jpeg.ok);
  const turned = await engine.convert(job(withOrientation(jpeg.bytes, 6), { format: "png" }));
  assert.ok(turned.ok, JSON.stringify(turned));
  assert.deepEqual(pngSize(turned.bytes), [100, 300]);

  const red = await engine.convert(job(withSwappedColors(16, 16), { format: "png", quality: 100 }));
  assert.ok(red.ok, JSON.stringify(red));
  const [r, g] = await firstPixel(red.bytes);
  assert.ok(r! < 60 && g! > 200, `green in the profile is shown as green: ${r}, ${g}`);
});

/**
 * Returns the first pixel of a PNG with 8 bits per color, whose first row must use no filter or the
 * "sub" filter.
 */
async function firstPixel(png: Bytes): Promise<Uint8Array> {
  const view = new DataView(png.buffer, png.byteOffset);
  const parts: Bytes[] = [];
  for (let at = 8; at < png.byteLength; at += 12 + view.getUint32(at)) {
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    if (type === "IDAT") parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer()).subarray(1, 4);
}

const text = (content: string): Bytes => new TextEncoder().encode(content.padEnd(64));

Deno.test("data that is not an image is refused, and the engine continues", async () => {
  await using engine = openEngine();
  const png = makePng(300, 200);
  const webp = await engine.convert(job(png, { width: 8192 }));
  const avif = await engine.convert(job(png, { width: 8192, format: "avif" }));
  assert.ok(webp.ok && avif.ok);
  const [pid] = engine.pids;
  const cut = (bytes: Bytes, part: number): Bytes => bytes.slice(0, bytes.byteLength * part);
  const refused: readonly (readonly [string, Bytes, string])[] = [
    ["nothing", new Uint8Array(), "broken"],
    ["noise", crypto.getRandomValues(new Uint8Array(4096)), "broken"],
    ["a PNG without a body", png.slice(0, 20), "broken"],
    ["half a WebP", cut(webp.bytes, 0.5), "broken"],
    ["half an AVIF", cut(avif.bytes, 0.5), "broken"],
    ["a decompression bomb of 10,000 million pixels", makeBomb(100_000, 100_000), "too_large"],
    ["a decompression bomb with one row", makeBomb(70_000_000, 1), "too_large"],
    ["an SVG", text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), "broken"],
    ["a PDF", text("%PDF-1.7"), "broken"],
    ["a TIFF", text("II*\0"), "broken"],
    ["a raw libvips image", text("\x08\xf2\xa6\xb6"), "broken"],
    ["a PPM", text("P6 10 10 255 "), "broken"],
    ["a table", text("1,2,3\n4,5,6\n"), "broken"],
    ["too many bytes", new Uint8Array(MAX_SOURCE_BYTES + 1), "too_large"],
  ];
  for (const [name, source, reason] of refused) {
    const result = await engine.convert(job(source));
    assert.deepEqual([result.ok, !result.ok && result.reason], [false, reason], name);
  }
  assert.deepEqual(engine.pids, [pid], "no image crashes the process");

  const hidden = new Uint8Array([...png, ...text("<script>alert(1)</script>")]);
  const clean = await engine.convert(job(hidden, { format: "png" }));
  assert.ok(clean.ok);
  assert.ok(!new TextDecoder("latin1").decode(clean.bytes).includes("script"));
});

Deno.test("the decoding process cannot open files or connections", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using engine = openEngine();
  assert.ok((await engine.convert(job(makePng(30, 20)))).ok);
  const [pid] = engine.pids;
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^Seccomp:\t2$/m);
  const open = [...Deno.readDirSync(`/proc/${pid}/fd`)].flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
  const files = open.filter((target) => target.startsWith("/") && target !== "/dev/null");
  assert.deepEqual(files, []);
});

Deno.test("a process that is killed, is too slow or uses too much memory is replaced", async () => {
  await using engine = openEngine();
  assert.ok((await engine.convert(job(makePng(30, 20)))).ok);
  const [first] = engine.pids;
  const running = engine.convert(job(makePng(3000, 2000), { format: "avif", width: 3000 }));
  Deno.kill(first!, "SIGKILL");
  const lost = await running;
  assert.deepEqual([lost.ok, !lost.ok && lost.reason], [false, "broken"]);
  assert.ok((await engine.convert(job(makePng(30, 20)))).ok);
  assert.notDeepEqual(engine.pids, [first]);

  await using slow = openEngine({ limits: { timeoutMs: 1 } });
  const late = await slow.convert(job(makePng(3000, 2000), { format: "avif", width: 3000 }));
  assert.deepEqual([late.ok, !late.ok && late.reason], [false, "timeout"]);
  assert.deepEqual(slow.pids, []);

  await using small = openEngine({ limits: { memoryMb: 50, memoryPollMs: 10 } });
  const large = await small.convert(job(makePng(30, 20)));
  assert.match(large.ok ? "" : large.message, /more than 50 MiB/);
});

Deno.test("jobs that exceed the queue's or their owner's limit are refused immediately", async () => {
  await using engine = openEngine({ limits: { maxQueued: 3, maxQueuedOfOwner: 2 } });
  const source = makePng(30, 20);
  const owners = ["a", "a", "a", "a", "b", "c"];
  const results = await Promise.all(owners.map((owner) => engine.convert(job(source, { owner }))));
  const reasons = results.map((result) => result.ok ? "ok" : result.reason);
  assert.deepEqual(reasons, ["ok", "ok", "ok", "busy", "ok", "busy"]);
});
