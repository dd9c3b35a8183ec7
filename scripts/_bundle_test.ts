import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { bundle, loadedBy } from "./_bundle.ts";
import { ROOT } from "./_source_files.ts";
import { SHIPPED_PACKAGES } from "./_stage.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

/** The modules that a command line loads: each is imported after the previous one has run. */
const HELP = ["main.ts", "src/cli/program.ts"];
const COMMAND = [...HELP, "src/cli/session/context.ts"];

interface Row {
  readonly command: string;
  readonly modules: readonly string[];
  /** Maximum amount of code that a start may read, in kilobytes and in number of chunks. */
  readonly kilobytes: number;
  readonly chunks: number;
  /** Modules that must not be included. */
  readonly without: RegExp;
}

const ZOD = /\/zod\//;
const LARGE =
  /re2js|toml-eslint-parser|acorn|croner|@clack|src\/(?:runtime|rules|manifest|build)\//;

/**
 * Schemas that these commands do not load: they need no credentials file and confirm no actions.
 */
const SCHEMAS_OF_OTHERS =
  /src\/(?:config\/credentials_schema|contract\/(?:deployments|projects))\.ts/;

/** Packages that must not be part of the data copied at every start. */
const RARE =
  /\/node_modules\/(?:acme-client|age-encryption|nodemailer|web-push|@vercel\/nft|yaml|smtp-server|re2-wasm)\//;

/**
 * Maximum size of the whole bundle, in kilobytes. It matters because the bundle is copied at every
 * start.
 */
const PACKED_KILOBYTES = 7_250;

const either = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"));

const ROWS: readonly Row[] = [
  {
    command: "--version",
    modules: ["main.ts"],
    kilobytes: 17,
    chunks: 10,
    without: /commander|zod/,
  },
  { command: "--help", modules: HELP, kilobytes: 154, chunks: 30, without: ZOD },
  {
    command: "whoami",
    modules: [...COMMAND, "src/cli/account/whoami.ts"],
    kilobytes: 348,
    chunks: 60,
    without: either(LARGE, SCHEMAS_OF_OTHERS),
  },
  {
    command: "kv get",
    modules: [...COMMAND, "src/cli/kv/get.ts"],
    kilobytes: 363,
    chunks: 80,
    without: either(LARGE, SCHEMAS_OF_OTHERS, /src\/contract\//),
  },
];

Deno.test("bundle() splits the code, so each command reads only what it needs", async (t) => {
  await inTestFolder(async (outdir) => {
    const external = SHIPPED_PACKAGES.flatMap(({ name }) => [name, `${name}/*`]);
    const { metafile, bytes } = await bundle({ root: ROOT, outdir, external });
    await t.step("contains no rare modules and stays below the size limit", () => {
      const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
      assert.deepEqual(bundled.filter((module) => RARE.test(module)), []);
      assert(bytes <= PACKED_KILOBYTES * 1000, `${bytes} bytes`);
    });
    for (const { command, modules, kilobytes, chunks, without } of ROWS) {
      await t.step(command, () => {
        const loaded = loadedBy(metafile, modules);
        assert.deepEqual([...loaded.modules].filter((module) => without.test(module)), []);
        assert(
          loaded.bytes <= kilobytes * 1000,
          `${loaded.bytes} bytes in ${loaded.chunks} chunks`,
        );
        assert(loaded.chunks <= chunks, `${loaded.chunks} chunks`);
      });
    }
    assert.throws(() => loadedBy(metafile, ["src/lib/format.ts"]), TypeError);
  });
});

Deno.test("bundle() creates the same bytes twice", async () => {
  const external = SHIPPED_PACKAGES.flatMap(({ name }) => [name, `${name}/*`]);
  const make = async () => {
    return await inTestFolder(async (outdir) => {
      const { metafile } = await bundle({ root: ROOT, outdir, external });
      const chunks = Object.keys(metafile.outputs).map((path) => basename(path)).sort();
      const folderOf = (name: string) => /^main\./.test(name) ? outdir : join(outdir, "chunk");
      return new Map(
        chunks.map((name) => [name, Deno.readTextFileSync(join(folderOf(name), name))]),
      );
    });
  };
  const [first, second] = [await make(), await make()];
  assert.deepEqual([...first.keys()], [...second.keys()]);
  assert([...first].every(([name, text]) => second.get(name) === text));
});
