/**
 * Bundles the program: splits its code into compact modules, so that starting the program reads and
 * parses only what the command needs.
 *
 * @module
 */
import { build, type Metafile, type Plugin } from "esbuild";
import { dirname, join } from "node:path";
import { PRELOAD_BUNDLE, PRELOAD_SOURCE } from "../src/runtime/node/bundle_preload.ts";
import { STAGED_PRELOAD } from "../src/runtime/node/preload_text.ts";
import { directImports } from "./_direct_imports.ts";
import { rarePackages, stageRareModules } from "./_rare_modules.ts";

interface BundleOptions {
  /** Root of the repository, which contains `main.ts` and `node_modules`. */
  readonly root: string;
  /** Folder that receives `main.js` and its chunks. */
  readonly outdir: string;
  /** Packages that remain imports in the bundle. They are shipped as files. */
  readonly external: readonly string[];
  /** Default URL of releases. */
  readonly releasesUrl?: string | undefined;
}

interface BundleReport {
  readonly chunks: number;
  readonly bytes: number;
  /** Total size of `main.js` and its static imports, which are read before the command is known. */
  readonly entryBytes: number;
  /** The bundler's report about its chunks. */
  readonly metafile: Metafile;
}

/**
 * CommonJS packages inside an ES module still call `require` for Node's own modules. `require` is
 * created at its first call, because most commands do not need it.
 */
const REQUIRE = [
  "let svcRequire;",
  "const svcMakeRequire = () => svcRequire ??= ",
  'process.getBuiltinModule("node:module").createRequire(import.meta.url);',
  "const require = new Proxy(() => {}, {",
  "apply: (_, __, args) => svcMakeRequire()(...args),",
  "get: (_, name) => svcMakeRequire()[name],",
  "});\n",
].join("");

/**
 * Matches chunks that call `require` directly: in the bundler's own helper, or in evaluated code.
 */
const CALLS_REQUIRE = /typeof require<"u"|eval\("require\b/;

/**
 * Replaces node-pre-gyp with an empty module. The server tracer looks for one function in this
 * package, but also contains its own version of that function. The rest of node-pre-gyp is a
 * program that cannot be bundled.
 */
const WITHOUT_PRE_GYP: Plugin = {
  name: "without-pre-gyp",
  setup(bundling) {
    const filter = /@mapbox[\\/]node-pre-gyp[\\/]lib[\\/]node-pre-gyp\.js$/;
    bundling.onLoad({ filter }, () => ({ contents: "module.exports = {};", loader: "js" }));
  },
};

/**
 * The SSH client refers to a native module that detects processor features, and to files in its own
 * folder. svc ships neither, because it needs neither.
 */
const SSH_WITHOUT_FILES: Plugin = {
  name: "ssh-without-files",
  setup(bundling) {
    const features = /[\\/]cpu-features[\\/]lib[\\/]index\.js$/;
    bundling.onLoad({ filter: features }, () => ({
      contents: "module.exports = () => {};",
      loader: "js",
    }));
    const naming = /[\\/]ssh2[\\/]lib[\\/](?:agent|protocol[\\/]crypto[\\/]poly1305)\.js$/;
    bundling.onLoad({ filter: naming }, async ({ path }) => ({
      contents: (await Deno.readTextFile(path)).replaceAll("__dirname", '"."'),
      loader: "js",
    }));
  },
};

/** Reduces `deno.json` to the version of the program, which every start reads. */
const versionAlone = (root: string): Plugin => ({
  name: "version-alone",
  setup(bundling) {
    const namespace = "version-alone";
    const filter = /\/deno\.json$/;
    const reader = join(root, "src/cli/version.ts");
    bundling.onResolve(
      { filter },
      ({ importer }) => importer === reader ? { path: "deno.json", namespace } : undefined,
    );
    bundling.onLoad({ filter: /./, namespace }, async ({ path }) => {
      const { version } = JSON.parse(await Deno.readTextFile(join(root, path)));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
});

/** Returns the constants that replace names at compile time. */
function constants({ releasesUrl }: BundleOptions): Record<string, string> {
  return releasesUrl === undefined ? {} : { SVC_RELEASES_URL: JSON.stringify(releasesUrl) };
}

/**
 * Keeps names, so that stack traces in logs stay readable. Short names with the bundler's
 * `keepNames` would call a function for each function that the program creates.
 */
const SHORT = { minifyWhitespace: true, minifySyntax: true } as const;

/** Bundles `main.ts` with code splitting, and reports the result. */
export async function bundle(options: BundleOptions): Promise<BundleReport> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: options.root,
    entryPoints: { main: join(options.root, "main.ts") },
    outdir: options.outdir,
    bundle: true,
    splitting: true,
    ...SHORT,
    format: "esm",
    platform: "node",
    target: "esnext",
    mainFields: ["module", "main"],
    chunkNames: "chunk/[name]-[hash]",
    external: [...options.external],
    plugins: [
      versionAlone(options.root),
      rarePackages(options.root),
      directImports(options.root),
    ],
    define: constants(options),
    metafile: true,
    logLevel: "warning",
    write: false,
  });
  for (const { path, text } of outputFiles) {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, `${CALLS_REQUIRE.test(text) ? REQUIRE : ""}${text}`);
  }
  const { outputs } = metafile;
  return {
    chunks: Object.keys(outputs).length,
    bytes: sizeOf(metafile, Object.keys(outputs)),
    entryBytes: loadedBy(metafile, ["main.ts"]).bytes,
    metafile,
  };
}

const sizeOf = ({ outputs }: Metafile, paths: Iterable<string>): number =>
  [...paths].reduce((total, path) => total + outputs[path]!.bytes, 0);

/** The code that is read and evaluated when certain modules are imported. */
export interface Loaded {
  readonly chunks: number;
  readonly bytes: number;
  /** The modules of the program and of packages in those chunks. */
  readonly modules: ReadonlySet<string>;
}

/**
 * Returns the code that is loaded when `modules`, paths in the repository, are imported.
 *
 * @throws {TypeError} if one of the modules is not loaded separately.
 */
export function loadedBy(metafile: Metafile, modules: readonly string[]): Loaded {
  const { outputs } = metafile;
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && next in outputs) visit(next);
    }
  };
  for (const module of modules) {
    const path = Object.keys(outputs).find((each) => outputs[each]!.entryPoint === module);
    if (path === undefined) {
      throw new TypeError(`Load ${module} by itself: no chunk begins with it`);
    }
    visit(path);
  }
  return {
    chunks: found.size,
    bytes: sizeOf(metafile, found),
    modules: new Set([...found].flatMap((path) => Object.keys(outputs[path]!.inputs))),
  };
}

/** Worker modules in the staging folder, keyed by the names under which processes start them. */
const WORKERS: Readonly<Record<string, string>> = {
  "function_worker.js": "src/runtime/functions/worker/worker_main.ts",
  "compute_worker.js": "src/runtime/compute/worker/worker_main.ts",
  "node_thread.js": "src/runtime/node/sandbox/thread_main.ts",
  "image_worker.js": "src/runtime/images/worker/worker_main.ts",
  "database_watch.js": "src/database/embedded/process/watch_main.ts",
  "repository_apps.js": "src/platform/hooks/apps_worker.ts",
};

/** Files in the staging folder that no module imports. The program starts them by name. */
export const STARTED_BY_NAME: readonly string[] = [
  ...Object.keys(WORKERS),
  STAGED_PRELOAD,
];

/**
 * Bundles the packages that are loaded rarely, and writes them to the staging folder, compressed.
 */
export const bundleRareModules = (root: string, stage: string, quality: number): Promise<void> =>
  stageRareModules({ root, stage, quality, plugins: [WITHOUT_PRE_GYP, SSH_WITHOUT_FILES] });

/** Bundles the code of workers, and the code that Node loads before a server. */
export async function bundleStartedByName(
  { root, outdir }: Pick<BundleOptions, "root" | "outdir">,
): Promise<void> {
  for (const [file, entry] of Object.entries(WORKERS)) {
    await build({
      absWorkingDir: root,
      entryPoints: [join(root, entry)],
      outfile: join(outdir, file),
      bundle: true,
      ...SHORT,
      format: "esm",
      platform: "node",
      target: "esnext",
      logLevel: "warning",
    });
  }
  await build({
    ...PRELOAD_BUNDLE,
    absWorkingDir: root,
    entryPoints: [PRELOAD_SOURCE],
    outfile: join(outdir, STAGED_PRELOAD),
    logLevel: "warning",
  });
}
