import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import { ImageFiles } from "./image_files.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const QUOTA = { maxBytes: 100, maxProjectBytes: 60 };
const image = (size: number) => ({ format: "webp" as const, bytes: new Uint8Array(size).fill(7) });
const key = (name: string): string => sha256Hex(name);

const filesBelow = (folder: string): string[] =>
  [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(join(folder, name)) : [name]
  );

Deno.test("ImageFiles keeps images across a restart", () =>
  inTestFolder(async (folder) => {
    const files = new ImageFiles(folder, QUOTA);
    await files.put("p1", key("a"), image(10));
    const again = new ImageFiles(folder, QUOTA);
    assert.equal(await again.find("p1", key("a")), undefined);
    await again.recover();
    assert.deepEqual(await again.find("p1", key("a")), image(10));
    assert.equal(await again.find("p2", key("a")), undefined, "it belongs to another project");
    assert.equal(again.bytes, 10);
  }));

Deno.test("ImageFiles removes the least recently used images, starting with those of the project that adds an image", () =>
  inTestFolder(async (folder) => {
    const files = new ImageFiles(folder, QUOTA);
    for (const name of ["a", "b", "c"]) await files.put("p1", key(name), image(20));
    await files.find("p1", key("a"));
    await files.put("p1", key("d"), image(20));
    assert.equal(await files.find("p1", key("b")), undefined, "the oldest of p1");
    assert.ok(await files.find("p1", key("a")), "used since");
    await files.put("p2", key("e"), image(20));
    await files.put("p2", key("f"), image(40));
    assert.equal(files.bytes, 100);
    assert.equal(await files.find("p1", key("c")), undefined, "the oldest of all");
    assert.equal(filesBelow(folder).length, 4);
  }));

Deno.test("ImageFiles does not store images beyond a project's limit", () =>
  inTestFolder(async (folder) => {
    const files = new ImageFiles(folder, QUOTA);
    await files.put("p1", key("a"), image(61));
    assert.deepEqual([files.bytes, filesBelow(folder)], [0, []]);
  }));

Deno.test("ImageFiles never creates a file outside its folder, and never returns a damaged file", () =>
  inTestFolder(async (folder) => {
    const files = new ImageFiles(join(folder, "images"), QUOTA);
    await files.put("../p1", key("a"), image(10));
    assert.deepEqual(filesBelow(folder), []);
    await files.put("p1", key("b"), image(10));
    await Deno.writeFile(join(folder, "images", "p1", `${key("b")}.webp`), new Uint8Array(3));
    assert.equal(await files.find("p1", key("b")), undefined);
    assert.deepEqual([files.bytes, filesBelow(folder)], [0, []]);
  }));

Deno.test("ImageFiles.recover() removes unknown and excess files", () =>
  inTestFolder(async (folder) => {
    await Deno.mkdir(join(folder, "p1"));
    await Deno.writeTextFile(join(folder, "p1", "half.tmp"), "x");
    for (const name of ["a", "b", "c", "d"]) {
      await Deno.writeFile(join(folder, "p1", `${key(name)}.avif`), new Uint8Array(20));
    }
    const files = new ImageFiles(folder, QUOTA);
    await files.recover();
    assert.equal(files.bytes, 60);
    assert.equal(filesBelow(folder).length, 3);
    await files.removeProject("p1");
    assert.deepEqual([files.bytes, filesBelow(folder)], [0, []]);
  }));
