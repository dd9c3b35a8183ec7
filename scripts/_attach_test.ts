import assert from "node:assert/strict";
import { join } from "node:path";
import {
  ATTACHED_INDEX,
  type AttachedIndex,
  packedBytes,
  readAttached,
  TRAILER_BYTES,
} from "../src/lib/shipped_file.ts";
import { attachFiles, putFilesBack, takeFiles } from "./_attach.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Creates an executable with packed data at its end, as the compiler does for Linux. */
function executable(runtime: string, packed: string): Uint8Array {
  const body = new TextEncoder().encode(runtime + packed);
  const bytes = new Uint8Array(body.byteLength + TRAILER_BYTES);
  bytes.set(body);
  const view = new DataView(bytes.buffer, body.byteLength);
  view.setUint32(0, 0x501e, true);
  view.setBigUint64(8, BigInt(packed.length + TRAILER_BYTES), true);
  return bytes;
}

interface Place {
  readonly stage: string;
  readonly program: string;
}

async function inPlace(test: (place: Place) => Promise<void>): Promise<void> {
  await inTestFolder(async (stage) => {
    await Deno.mkdir(join(stage, "inner"));
    await Deno.writeTextFile(join(stage, "first.br"), "first file");
    await Deno.writeTextFile(join(stage, "inner/second.wasm"), "second");
    await test({ stage, program: join(stage, "program") });
  });
}

const PATHS = ["first.br", "inner/second.wasm"];

async function attach({ stage, program }: Place): Promise<AttachedIndex> {
  await Deno.writeFile(program, executable("runtime", "packed"));
  const taken = await takeFiles(stage, PATHS);
  assert.ok(await attachFiles(program, taken));
  return JSON.parse(await Deno.readTextFile(join(stage, ATTACHED_INDEX)));
}

Deno.test("attachFiles() keeps the program intact, and readAttached() reads the files", () =>
  inPlace(async (place) => {
    const index = await attach(place);
    const bytes = await Deno.readFile(place.program);
    const packed = packedBytes(bytes.subarray(-TRAILER_BYTES))!;
    assert.equal(text(bytes.subarray(0, 7)), "runtime");
    assert.equal(text(bytes.subarray(-packed, -TRAILER_BYTES)), "packed");
    const read = PATHS.map((path) => text(readAttached(place.program, index, path)));
    assert.deepEqual(read, ["first file", "second"]);
    for (const path of PATHS) {
      await assert.rejects(Deno.stat(join(place.stage, path)), Deno.errors.NotFound);
    }
  }));

Deno.test("readAttached() rejects a program that is truncated, changed, or built differently", () =>
  inPlace(async (place) => {
    const index = await attach(place);
    const { program } = place;
    const whole = await Deno.readFile(program);
    const damages: [string, Uint8Array, RegExp][] = [
      ["changed", whole.with("runtime".length, 0), /first\.br .*damaged \(its digest/],
      ["cut", whole.subarray(0, -1), /Install svc again: first\.br .*\(its end is missing\)/],
      ["empty", new Uint8Array(), /damaged/],
    ];
    for (const [name, bytes, message] of damages) {
      await Deno.writeFile(program, bytes);
      assert.throws(() => readAttached(program, index, "first.br"), message, name);
    }
    assert.throws(() => readAttached(program, index, "third"), TypeError);
  }));

Deno.test("attachFiles() does not change programs with other endings, and putFilesBack() restores the stage", () =>
  inPlace(async ({ stage, program }) => {
    const taken = await takeFiles(stage, PATHS);
    for (const content of ["", "short", "a program that ends in some other way"]) {
      await Deno.writeTextFile(program, content);
      assert.equal(await attachFiles(program, taken), false);
      assert.equal(await Deno.readTextFile(program), content);
    }
    await putFilesBack(stage, taken);
    assert.equal(await Deno.readTextFile(join(stage, "inner/second.wasm")), "second");
    await assert.rejects(Deno.stat(join(stage, ATTACHED_INDEX)), Deno.errors.NotFound);
  }));
