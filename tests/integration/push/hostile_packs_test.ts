/**
 * Pushes packs that git never creates. The packs are truncated, have incorrect checksums or sizes,
 * or are larger than they appear.
 */
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import {
  type Bytes,
  commit,
  copy,
  deltaSize,
  type Entry,
  type GitObject,
  joined,
  namedDelta,
  object,
  offsetDelta,
  pack,
  packed,
  type PackOptions,
  tree,
} from "../../helpers/hostile_packs.ts";
import { type Attack, command, underAttack } from "../../helpers/hostile_push.ts";

const BLOB = object("blob", "trick\n".repeat(50));
const ROOT = tree([{ mode: "100644", name: "index.html", sha: BLOB.sha }]);
const HEAD = commit(ROOT.sha);
const GOOD: readonly GitObject[] = [BLOB, ROOT, HEAD];

const REFUSED = /ng refs\/heads\/main /;

const attackBy = (name: string, sent: Bytes, to = HEAD.sha): Attack => ({
  name,
  says: REFUSED,
  status: 200,
  body: joined(command("refs/heads/main", { to }), sent),
});

const packs = (cases: Readonly<Record<string, readonly [(Entry | Bytes)[], PackOptions?]>>) =>
  Object.entries(cases).map(([name, [entries, options]]) => attackBy(name, pack(entries, options)));

function structureAttacks(): Attack[] {
  const good = [...GOOD];
  const lies = { number: 3, content: BLOB.content };
  return packs({
    "another magic": [good, { magic: "KCAP" }],
    "version 0": [good, { version: 0 }],
    "version 1": [good, { version: 1 }],
    "version 4": [good, { version: 4 }],
    "version 2^31": [good, { version: 0x8000_0000 }],
    "a count that is one too high": [good, { count: 4 }],
    "a count that is one too low": [good, { count: 2 }],
    "a count of zero": [good, { count: 0 }],
    "a count of 100 million": [good, { count: 100_000_000 }],
    "a count of 2^31": [good, { count: 0x8000_0000 }],
    "a count of 2^32 - 1": [good, { count: 0xffff_ffff }],
    "no objects": [[]],
    "a checksum of zeros": [good, { sum: new Uint8Array(20) }],
    "a short checksum": [good, { sum: new Uint8Array(19) }],
    "no checksum": [good, { sum: new Uint8Array(0) }],
    "extra bytes before the checksum": [good, { garbage: new Uint8Array(40) }],
    "another pack before the checksum": [good, { garbage: pack([BLOB]) }],
    "an object of type 0": [[{ ...BLOB, number: 0 }, ROOT, HEAD]],
    "an object of type 5": [[{ ...BLOB, number: 5 }, ROOT, HEAD]],
    "an object that declares too large a size": [[{ ...lies, size: 9999 }, ROOT, HEAD]],
    "an object that declares too small a size": [[{ ...lies, size: 3 }, ROOT, HEAD]],
    "an object of 2^40 bytes": [[{ ...lies, size: 2 ** 40 }, ROOT, HEAD]],
    "an object of 2^50 bytes": [[{ ...lies, size: 2 ** 50 }, ROOT, HEAD]],
    "an endless size": [[new Uint8Array(64).fill(0xff), ROOT, HEAD]],
    "an object that is not compressed": [[joined("\xb6", BLOB.content), ROOT, HEAD]],
    "a tree without its file": [[ROOT, HEAD]],
    "a commit without its tree": [[BLOB, HEAD]],
    "a pack without its commit": [[BLOB, ROOT]],
    "a file instead of a tree": [[{ ...ROOT, number: 3 }, BLOB, HEAD]],
  });
}

function cutAttacks(): Attack[] {
  const whole = pack([...GOOD]);
  const places = [
    1,
    4,
    8,
    11,
    12,
    13,
    20,
    30,
    whole.length - 21,
    whole.length - 20,
    whole.length - 1,
  ];
  return places.map((at) => attackBy(`a pack that ends after ${at} bytes`, whole.slice(0, at)));
}

function deltaAttacks(): Attack[] {
  const size = BLOB.size;
  const sizes = (from: number, to: number) => [...deltaSize(from), ...deltaSize(to)];
  const insert = [...sizes(size, 2), 2, 104, 105];
  const on = (delta: readonly number[]) => namedDelta(BLOB.sha, delta);
  const after = (entry: Entry): [(Entry | Bytes)[]] => [[...GOOD, entry]];
  return packs({
    "a delta without its base": after(namedDelta("e".repeat(40), insert)),
    "an empty delta": after(on([])),
    "a delta for a base of a different size": after(on([...sizes(size + 1, 2), 2, 104, 105])),
    "a delta for a base of 2^50 bytes": after(on([...sizes(2 ** 50, 2), 2, 104, 105])),
    "a delta that creates less than it declares": after(on([...sizes(size, 9), 2, 104, 105])),
    "a delta that creates more than it declares": after(on([...sizes(size, 1), 2, 104, 105])),
    "a delta of 2^45 bytes": after(on([...sizes(size, 2 ** 45), 2, 104, 105])),
    "a delta with the reserved instruction": after(on([...sizes(size, 2), 0, 104, 105])),
    "a delta that copies from after its base": after(on([...sizes(size, 9), ...copy(size, 9)])),
    "a delta that copies across the end of its base": after(
      on([...sizes(size, 99), ...copy(size - 9, 99)]),
    ),
    "a delta that copies from 2^31": after(on([...sizes(size, 9), ...copy(2 ** 31 - 1, 9)])),
    "a delta whose copy is cut off": after(on([...sizes(size, 9), 0xff])),
    "a delta whose text is cut off": after(on([...sizes(size, 90), 90, 104])),
    "a delta with an endless size": after(on(new Array(32).fill(0xff))),
    "a delta based on itself": after(offsetDelta([0], insert)),
    "a delta with a base before the pack": after(offsetDelta([0x90, 0x00], insert)),
    "a delta with an endless offset": after(offsetDelta(new Array(12).fill(0xff), insert)),
    "a delta between two objects": after(offsetDelta([3], insert)),
    "deltas that refer to each other": [[
      ...GOOD,
      namedDelta("1".repeat(40), insert),
      namedDelta("2".repeat(40), insert),
    ]],
  });
}

/** Builds a delta that creates `times` copies of `base`. */
function multiplied(base: GitObject, times: number): Entry {
  const step = copy(0, base.size);
  const delta = [...deltaSize(base.size), ...deltaSize(base.size * times)];
  return namedDelta(
    base.sha,
    joined(
      Uint8Array.from(delta),
      Uint8Array.from({ length: step.length * times }, (_, at) => step[at % step.length]!),
    ),
  );
}

/** Returns small packs that expand to much more memory than git is allowed to use. */
function bombAttacks(): Attack[] {
  const seed = object("blob", new Uint8Array(60_000).fill(7));
  const folder = object("tree", new Uint8Array(90_000_000));
  return [
    attackBy("a delta that expands to 3 GB", pack([...GOOD, seed, multiplied(seed, 50_000)])),
    attackBy(
      "a folder of 90 MB of zeros",
      pack([BLOB, folder, commit(folder.sha)]),
      commit(folder.sha).sha,
    ),
    attackBy(
      "a commit of 30 MB",
      (() => {
        const long = object("commit", new Uint8Array(30_000_000).fill(10));
        return pack([long]);
      })(),
    ),
    attackBy("20,000 deltas without a base", pack(chain(20_000))),
    attackBy(
      "extra data after an object",
      pack([
        joined(packed(BLOB), new Uint8Array(deflateSync(new Uint8Array(1_000_000)))),
        ROOT,
        HEAD,
      ]),
    ),
  ];
}

/** Builds a chain of deltas whose first delta has no base. */
function chain(length: number): Entry[] {
  const text = [...deltaSize(5), ...deltaSize(5), ...copy(0, 5)];
  const first = namedDelta("f".repeat(40), text);
  const one = packed(first).length;
  const next = offsetDelta([one], text);
  const later = offsetDelta([packed(offsetDelta([0], text)).length], text);
  return [first, next, ...Array.from({ length: length - 2 }, () => later)];
}

Deno.test("hostile packs are refused and leave nothing on disk", () =>
  underAttack(async ({ attack }) => {
    const attacks = [
      ...structureAttacks(),
      ...cutAttacks(),
      ...deltaAttacks(),
      ...bombAttacks(),
    ];
    assert.ok(attacks.length >= 60, String(attacks.length));
    await attack(attacks);
  }));
