/**
 * Packages that few commands need, each bundled as its own module. These packages are not packed
 * with the program's code, because the runtime copies that code at every start. Instead, they are
 * compressed, attached, and imported when they are needed (src/lib/shipped_module.ts).
 *
 * @module
 */
import { build, type BuildOptions, type Plugin } from "esbuild";
import { builtinModules } from "node:module";
import { dirname, join, sep } from "node:path";
import { importShippedModule, shippedModulePath } from "../src/lib/shipped_module.ts";
import { compressTo } from "./_compress.ts";

/**
 * Names that the program imports from each rare package. In the bundle, code that loads the
 * attached package replaces these imports.
 */
export const RARE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@vercel/nft": ["nodeFileTrace"],
  "acme-client": ["default"],
  "age-encryption": ["Decrypter", "Encrypter", "generateIdentity", "identityToRecipient"],
  nodemailer: ["createTransport"],
  "smtp-server": ["SMTPServer"],
  ssh2: ["default"],
  "web-push": ["default"],
  yaml: ["parse"],
};

const exportLine = (name: string, exported: readonly string[]): string =>
  `export { ${exported.join(", ")} } from ${JSON.stringify(name)};`;

/** Modules that the program requests by name. They replace files of packages. */
const ENGINES: Readonly<Record<string, string>> = {
  pglite: [
    exportLine("@electric-sql/pglite", ["PGlite"]),
    exportLine("@electric-sql/pglite/basefs", ["EmscriptenBuiltinFilesystem"]),
  ].join("\n"),
  pg_dump: exportLine("@electric-sql/pglite-tools/pg_dump", ["pgDump"]),
};

/** The source of each module, keyed by its name. */
const ENTRIES: Readonly<Record<string, string>> = {
  ...ENGINES,
  ...Object.fromEntries(
    Object.entries(RARE_PACKAGES).map(([name, exported]) => [name, exportLine(name, exported)]),
  ),
};

/** Paths of the modules in the staging folder. */
export const RARE_MODULES: readonly string[] = Object.keys(ENTRIES).map(shippedModulePath);

const NAMESPACE = "rare-package";

/** Makes the program import rare packages from their attached copies. */
export function rarePackages(root: string): Plugin {
  const source = join(root, "src") + sep;
  return {
    name: "rare-packages",
    setup(bundling) {
      bundling.onResolve(
        { filter: /^[@\w]/ },
        ({ path, importer }) =>
          path in RARE_PACKAGES && importer.startsWith(source)
            ? { path, namespace: NAMESPACE }
            : undefined,
      );
      bundling.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        contents: [
          // An absolute path here would change the chunks' names on other machines.
          `import { ${importShippedModule.name} } from "./src/lib/shipped_module.ts";`,
          `const loaded = await ${importShippedModule.name}(${JSON.stringify(path)});`,
          ...RARE_PACKAGES[path]!.map((name) =>
            name === "default"
              ? "export default loaded.default;"
              : `export const ${name} = loaded.${name};`
          ),
        ].join("\n"),
        resolveDir: root,
      }));
    },
  };
}

/**
 * pg_dump's code that accepts compiled WebAssembly, an option that callers cannot set.
 */
const TAKES_WASM = "wasmBinary=Module.wasmBinary";

/**
 * Puts pg_dump's WebAssembly into pg_dump's module, which would otherwise look for a file next to
 * itself.
 */
const PG_DUMP_WITH_WASM: Plugin = {
  name: "pg-dump-with-wasm",
  setup(bundling) {
    bundling.onLoad({ filter: /pglite-tools[\\/]dist[\\/]chunk-\w+\.js$/ }, async ({ path }) => {
      const text = await Deno.readTextFile(path);
      if (text.split(TAKES_WASM).length !== 2) {
        throw new Error(`Check again how pg_dump finds its WebAssembly: ${path} has changed`);
      }
      const inlined = text.replace(TAKES_WASM, "wasmBinary=svcWasm");
      return {
        contents: `import svcWasm from "./pg_dump.wasm";\n${inlined}`,
        loader: "js",
        resolveDir: dirname(path),
      };
    });
  },
};

/** In the compiled program, bare names of Node's built-in modules work only inside packages. */
const NODE_BY_FULL_NAME: Plugin = {
  name: "node-by-full-name",
  setup(bundling) {
    const names = builtinModules.filter((name) => !name.startsWith("node:"));
    const filter = new RegExp(`^(?:${names.join("|")})$`);
    bundling.onResolve({ filter }, ({ path }) => ({ path: `node:${path}`, external: true }));
  },
};

/**
 * CommonJS packages call `require` for Node's built-in modules. Rare modules are loaded from data
 * URLs, which have no folder, so `require` is created for the main module.
 */
const REQUIRE =
  'const require = process.getBuiltinModule("node:module").createRequire(Deno.mainModule);';

/**
 * Packages written for Node call methods of Node's timers that the runtime's timers do not have.
 */
const TIMERS =
  "import { setTimeout, setInterval, clearTimeout, clearInterval } from 'node:timers';";

interface RareModulesOptions {
  readonly root: string;
  readonly stage: string;
  /** Brotli's quality, from 0 to 11. */
  readonly quality: number;
  readonly plugins: readonly Plugin[];
}

function optionsFor(contents: string, { root, plugins }: RareModulesOptions): BuildOptions {
  return {
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    keepNames: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    mainFields: ["module", "main"],
    loader: { ".wasm": "binary" },
    banner: { js: `${TIMERS}${REQUIRE}` },
    define: { "import.meta.url": "Deno.mainModule" },
    plugins: [...plugins, NODE_BY_FULL_NAME, PG_DUMP_WITH_WASM],
    logLevel: "warning",
    write: false,
  };
}

/** Bundles each rare module, compresses it, and writes it to the staging folder. */
export async function stageRareModules(options: RareModulesOptions): Promise<void> {
  await Promise.all(
    Object.entries(ENTRIES).map(async ([name, contents]) => {
      const { outputFiles } = await build({ ...optionsFor(contents, options), write: false });
      const file = join(options.stage, shippedModulePath(name));
      await Deno.mkdir(dirname(file), { recursive: true });
      await compressTo(file, outputFiles[0]!.contents, options.quality);
    }),
  );
}
