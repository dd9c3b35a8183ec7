import assert from "node:assert/strict";
import { join } from "node:path";
import { CACHE_PATH } from "../config/checkout_cache.ts";
import { sha256Hex } from "../lib/hash.ts";
import { hashFiles, type OutputContent } from "./hash_files.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

const COUNT = 250;
const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;

interface Site {
  readonly root: string;
  readonly files: readonly OutputContent[];
  /** Hashes all files at a given time. Returns the hashes by path. */
  hash(now: number, more?: readonly OutputContent[]): Promise<Record<string, string>>;
}

/** Runs a test on a folder whose files were all written before the test's current time. */
async function withSite(run: (site: Site) => Promise<void>): Promise<void> {
  return await inTestFolder(async (root) => {
    const files = Array.from({ length: COUNT }, (_, n) => ({
      path: `page-${n}.html`,
      content: join(root, `page-${n}.html`),
      size: 6,
    }));
    for (const { content, path } of files) await Deno.writeTextFile(content, path.slice(0, 6));
    await run({
      root,
      files,
      hash: async (now, more = []) => {
        const cachedAt = { root, now: () => now };
        const packed = await hashFiles([...files, ...more], { signal, cachedAt });
        return Object.fromEntries(packed.map(({ path, sha256 }) => [path, sha256]));
      },
    });
  });
}

/**
 * Returns a time that is later than the timestamps of all test files by more than the resolution of
 * file systems.
 */
const later = () => Date.now() + HOUR_MS;

/** Waits until a newly written file would get a later timestamp than `path`. */
async function untilNewTime(root: string, path: string): Promise<void> {
  const { ctime } = await Deno.stat(path);
  const probe = join(root, "probe");
  do await Deno.writeTextFile(probe, ""); while (
    (await Deno.stat(probe)).ctime?.getTime() === ctime?.getTime()
  );
}

/** Replaces a file's content with different content of the same size, and keeps its times. */
async function changeInSecret(path: string, text: string): Promise<void> {
  const { atime, mtime } = await Deno.stat(path);
  await Deno.writeTextFile(path, text);
  await Deno.utime(path, atime!, mtime!);
}

/** Changes the hash of one file in the cache. */
async function exchange(root: string, path: string, sha256: string): Promise<void> {
  const file = join(root, CACHE_PATH, "hashes.json");
  const content = JSON.parse((await Deno.readTextFile(file)).slice(65));
  content.hashes[content.names.indexOf(path)] = sha256;
  const text = JSON.stringify(content);
  await Deno.writeTextFile(file, `${sha256Hex(text)}\n${text}`);
}

Deno.test("hashFiles() reads files again only if they have changed", () =>
  withSite(async ({ root, hash }) => {
    const first = await hash(later());
    assert.equal(first["page-0.html"], sha256Hex("page-0"));
    // This hash matches no file. If it is returned, the file was not read.
    await exchange(root, "page-0.html", "0".repeat(64));
    await exchange(root, "page-1.html", "0".repeat(64));
    await untilNewTime(root, join(root, "page-249.html"));
    await Deno.writeTextFile(join(root, "page-1.html"), "page-x");
    const second = await hash(later());
    assert.equal(second["page-0.html"], "0".repeat(64));
    assert.equal(second["page-1.html"], sha256Hex("page-x"));
    const third = await hash(later());
    assert.deepEqual(third, second);
  }));

Deno.test("hashFiles() detects a change even if size and modification time stay the same", () =>
  withSite(async ({ root, hash }) => {
    await hash(later());
    await untilNewTime(root, join(root, "page-249.html"));
    await changeInSecret(join(root, "page-3.html"), "page-y");
    await Deno.writeTextFile(join(root, "new"), "page-z");
    await Deno.rename(join(root, "new"), join(root, "page-4.html"));
    const second = await hash(later());
    assert.equal(second["page-3.html"], sha256Hex("page-y"));
    assert.equal(second["page-4.html"], sha256Hex("page-z"));
  }));

Deno.test("hashFiles() rehashes files that changed within the resolution of file times", () =>
  withSite(async ({ root, hash }) => {
    const written = (await Deno.stat(join(root, "page-249.html"))).mtime!.getTime();
    // So soon after the write, another write could result in the same timestamps.
    await hash(written + 1500);
    await assert.rejects(Deno.stat(join(root, CACHE_PATH)), Deno.errors.NotFound);
    await hash(later());
    assert.ok((await Deno.stat(join(root, CACHE_PATH, "hashes.json"))).isFile);
  }));

Deno.test("hashFiles() ignores a damaged cache, and creates no cache if there are only a few files", () =>
  withSite(async ({ root, files, hash }) => {
    const first = await hash(later());
    const file = join(root, CACHE_PATH, "hashes.json");
    const bytes = await Deno.readFile(file);
    await Deno.writeFile(file, bytes.with(2000, bytes[2000]! ^ 1));
    assert.deepEqual(await hash(later()), first);
    const text = await Deno.readTextFile(file);
    assert.equal(text.slice(0, 64), sha256Hex(text.slice(65)));

    const other = join(root, "other");
    await Deno.mkdir(other);
    await hashFiles(files.slice(0, 10), { signal, cachedAt: { root: other, now: later } });
    assert.deepEqual([...Deno.readDirSync(other)], []);
  }));

Deno.test("hashFiles() keeps the order of files, and hashes content that is passed as bytes", () =>
  withSite(async ({ files, hash }) => {
    const bytes = new TextEncoder().encode("made");
    const made = { path: "made.js", content: bytes, size: bytes.byteLength };
    const expected = [...files.map(({ path }) => path), "made.js"];
    for (const _ of [1, 2]) {
      const hashes = await hash(later(), [made]);
      assert.deepEqual(Object.keys(hashes), expected);
      assert.equal(hashes["made.js"], sha256Hex("made"));
    }
  }));
