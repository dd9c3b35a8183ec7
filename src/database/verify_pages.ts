/** @module Verifies the checksums of a database's pages, as `pg_checksums --check` does. */
import { join } from "node:path";
import { ifMissing } from "../lib/missing_files.ts";

/** Size of a page in bytes, and number of pages in one file (PostgreSQL's defaults). */
const PAGE = 8192;
const SEGMENT_PAGES = 131_072;

/** Number of pages to read at a time. */
const AT_ONCE = 128;

/** Maximum number of times to read a page that a running server may be writing. */
const MAX_ATTEMPTS = 5;

/** Position of the checksum in a page, in two-byte words. */
const CHECKSUM_WORD = 4;

/** Files with pages: the number of a table or index, its kind, and its segment. */
const PAGED = /^[0-9]+(?:_(?:fsm|vm|init))?(?:\.([0-9]+))?$/;

/** Initial values of a page's 32 sums (src/include/storage/checksum_impl.h). */
const SUMS = Uint32Array.of(
  0x5b1f36e9,
  0xb8525960,
  0x02ab50aa,
  0x1de66d2a,
  0x79ff467a,
  0x9bb9f8a3,
  0x217e7cd2,
  0x83e13d2c,
  0xf8d4474f,
  0xe39eb970,
  0x42c6ae16,
  0x993216fa,
  0x7b093b5d,
  0x98daff3c,
  0xf718902a,
  0x0b1c9cdb,
  0xe58f764b,
  0x187636bc,
  0x5d7b3bb1,
  0xe73de7de,
  0x92bec979,
  0xcca6c0b2,
  0x304a0979,
  0x85aa43d4,
  0x783125bb,
  0x6ca8eaa2,
  0xe407eac6,
  0x4b5cfc3e,
  0x9fbf8c76,
  0x15ca20be,
  0xf2ca9fd3,
  0x959bd756,
);
const PRIME = 16_777_619;
const LAST_ROUNDS = 2;

/** Returns the checksum that PostgreSQL writes into a page, which is never 0. */
function pageChecksum(page: Uint8Array, block: number): number {
  const halves = new Uint16Array(page.slice().buffer);
  halves[CHECKSUM_WORD] = 0;
  const words = new Uint32Array(halves.buffer);
  const sums = SUMS.slice();
  const mix = (index: number, value: number) => {
    const mixed = sums[index]! ^ value;
    sums[index] = Math.imul(mixed, PRIME) ^ mixed >>> 17;
  };
  words.forEach((word, index) => mix(index % SUMS.length, word));
  for (let round = 0; round < LAST_ROUNDS; round++) {
    for (let index = 0; index < SUMS.length; index++) mix(index, 0);
  }
  const sum = sums.reduce((all, each) => all ^ each, block) >>> 0;
  return sum % 0xffff + 1;
}

interface PagesReport {
  readonly pages: number;
  /** Number of pages without a checksum. The database was created without checksums. */
  readonly unchecked: number;
  /** Damaged pages, by file and page number. */
  readonly damaged: readonly string[];
}

type PageState = "sound" | "empty" | "unchecked" | "damaged";

function judgePage(page: Uint8Array, block: number): PageState {
  const stored = page[2 * CHECKSUM_WORD]! | page[2 * CHECKSUM_WORD + 1]! << 8;
  if (stored === 0) return page.some((byte) => byte !== 0) ? "unchecked" : "empty";
  return stored === pageChecksum(page, block) ? "sound" : "damaged";
}

async function* pagedFiles(root: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(root)) {
    if (isDirectory) yield* pagedFiles(join(root, name));
    else if (isFile && PAGED.test(name)) yield join(root, name);
  }
}

/** Reads from a position until the buffer is full or the file ends. */
function readAt(file: Deno.FsFile, buffer: Uint8Array, offset: number): number {
  file.seekSync(offset, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < buffer.byteLength) {
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return filled;
}

/** Rechecks a page that may have been only partly written. */
function judgeAgain(file: Deno.FsFile, index: number, block: number): PageState {
  const page = new Uint8Array(PAGE);
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    // The file was truncated in the meantime, so the page no longer exists.
    if (readAt(file, page, index * PAGE) < PAGE) return "empty";
    if (judgePage(page, block) !== "damaged") return "sound";
  }
  return "damaged";
}

/** Verifies all pages in a data folder, which are in the folders `base` and `global`. */
export async function verifyPages(data: string): Promise<PagesReport> {
  let [pages, unchecked] = [0, 0];
  const damaged: string[] = [];
  const buffer = new Uint8Array(AT_ONCE * PAGE);
  for (const root of ["global", "base"]) {
    for await (const path of pagedFiles(join(data, root))) {
      const first = Number(PAGED.exec(path.slice(path.lastIndexOf("/") + 1))?.[1] ?? 0) *
        SEGMENT_PAGES;
      const file = await Deno.open(path).catch(ifMissing);
      // A table was dropped in the meantime.
      if (file === undefined) continue;
      using opened = file;
      for (let index = 0;;) {
        const count = Math.floor(readAt(opened, buffer, index * PAGE) / PAGE);
        for (let each = 0; each < count; each++, index++) {
          const page = buffer.subarray(each * PAGE, (each + 1) * PAGE);
          let state = judgePage(page, first + index);
          if (state === "damaged") state = judgeAgain(opened, index, first + index);
          pages++;
          if (state === "unchecked") unchecked++;
          if (state === "damaged") damaged.push(`${path}, page ${first + index}`);
        }
        if (count < AT_ONCE) break;
      }
    }
  }
  return { pages, unchecked, damaged };
}
