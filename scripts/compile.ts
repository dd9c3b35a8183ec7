/**
 * `deno task compile [--target …] [--output dist/svc] [--releases-url URL]`: bundles the program,
 * stages it, and compiles it to one file.
 *
 * `DENORT_BIN` is the path of the base runtime; without it, Deno downloads its own. A
 * `BROTLI_QUALITY` below 11 compresses faster, but less. Releases use 11.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { TEMPLATE_FILE, TEMPLATE_URL } from "../src/database/mod.ts";
import { DOCUMENTS_FILE } from "../src/documents/read_library.ts";
import { ATTACHED_INDEX } from "../src/lib/shipped_file.ts";
import { bundle, bundleRareModules, bundleStartedByName, STARTED_BY_NAME } from "./_bundle.ts";
import { checkBaseRuntime, NO_BASE_RUNTIME } from "./_base_runtime.ts";
import { attachFiles, putFilesBack, takeFiles } from "./_attach.ts";
import { hear } from "./_process.ts";
import { RARE_MODULES } from "./_rare_modules.ts";
import { ROOT } from "./_source_files.ts";
import {
  attachableFiles,
  LICENSES_FILE,
  parseQuality,
  platformOf,
  setStageTimes,
  SHIPPED_PACKAGES,
  stageDocuments,
  stagePackages,
} from "./_stage.ts";

const { values: flags } = parseArgs({
  args: Deno.args,
  options: {
    target: { type: "string" },
    output: { type: "string", default: join(ROOT, "dist", "svc") },
    "releases-url": { type: "string" },
  },
});

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

const baseRuntime = Deno.env.get("DENORT_BIN");
if (baseRuntime !== undefined) await checkBaseRuntime(baseRuntime);

const quality = parseQuality(Deno.env.get("BROTLI_QUALITY"));

/** Deno adds this extension to Windows programs if it is missing. */
const ending = flags.target?.includes("windows") && !flags.output.endsWith(".exe") ? ".exe" : "";
const output = resolve(flags.output + ending);
const stage = join(ROOT, "dist", "stage");
await Deno.remove(stage, { recursive: true }).catch(() => {});
await Deno.mkdir(stage, { recursive: true });
await Deno.mkdir(dirname(output), { recursive: true });

const external = SHIPPED_PACKAGES.flatMap(({ name }) => [name, `${name}/*`]);
const report = await bundle({
  root: ROOT,
  outdir: stage,
  external,
  releasesUrl: flags["releases-url"],
});
await bundleStartedByName({ root: ROOT, outdir: stage });
const platform = platformOf(flags.target);
await stagePackages(ROOT, stage, { platform, quality });
await Deno.copyFile(TEMPLATE_URL, join(stage, TEMPLATE_FILE));
await stageDocuments(stage, quality);
await bundleRareModules(ROOT, stage, quality);
console.log(
  `Bundled ${report.chunks} modules, ${megabytes(report.bytes)}, ` +
    `${megabytes(report.entryBytes)} of them read at every start`,
);

async function compileStage(included: readonly string[]): Promise<void> {
  await setStageTimes(stage);
  const { code, stdout, stderr } = await hear([
    Deno.execPath(),
    "compile",
    "--quiet",
    "--no-check",
    "--allow-all",
    "--unstable-kv",
    "--unstable-net",
    "--unstable-worker-options",
    // The cache file would be in the folder for temporary files, where other users could create it
    // first.
    "--no-code-cache",
    ...(flags.target === undefined ? [] : ["--target", flags.target]),
    ...[...included, LICENSES_FILE].flatMap((file) => ["--include", file]),
    "--output",
    output,
    "main.js",
  ], { cwd: stage });
  if (code === 0) return;
  console.error(stdout + stderr);
  Deno.exit(stderr.includes("Setting up base binary") ? NO_BASE_RUNTIME : code);
}

/** Attaches large files; returns false if the compiler's packing leaves no space for them. */
async function compileAttached(): Promise<boolean> {
  const taken = await takeFiles(stage, attachableFiles(platform));
  await compileStage([...STARTED_BY_NAME, ATTACHED_INDEX]);
  if (await attachFiles(output, taken)) return true;
  console.log("Packing all files: this compiler's programs do not have the usual Linux layout");
  await putFilesBack(stage, taken);
  return false;
}

// Other systems map the packed data into memory, and sign or check the whole file.
if (platform.os !== "linux" || !await compileAttached()) {
  await compileStage([...STARTED_BY_NAME, TEMPLATE_FILE, DOCUMENTS_FILE, ...RARE_MODULES]);
}
const { size } = await Deno.stat(output);
console.log(`Compiled ${output} with Deno ${Deno.version.deno}, ${megabytes(size)}`);

if (flags.target === undefined) {
  const started = performance.now();
  const result = await hear([output, "--version"]);
  if (result.code !== 0) throw new Error(`Cannot start the compiled program: ${result.stderr}`);
  console.log(`${result.stdout.trim()} responded in ${Math.round(performance.now() - started)} ms`);
}
