/**
 * `deno task database-template`: creates the files of an empty database with the installed engine,
 * and packs them for the program. Run it whenever the engine's version changes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { packTar, type TarEntry } from "modern-tar";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { ENGINE_NAMES, TEMPLATE_URL, VERSION_FILE } from "../src/database/mod.ts";
import { show } from "./_process.ts";
import { ROOT } from "./_source_files.ts";

/** The whole archive fits in one brotli window. */
const WINDOW_BITS = 24;

async function* entriesBelow(folder: string, prefix = ""): AsyncGenerator<TarEntry> {
  const entries = await Array.fromAsync(Deno.readDir(join(folder, prefix)));
  // The order is fixed so that the same files always result in the same archive.
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    const path = `${prefix}${name}`;
    const header = { name: path, mtime: new Date(0) };
    if (isDirectory) {
      yield { header: { ...header, type: "directory", size: 0 } };
      yield* entriesBelow(folder, `${path}/`);
      continue;
    }
    const body = await Deno.readFile(join(folder, path));
    yield { header: { ...header, type: "file", size: body.byteLength }, body };
  }
}

/** Creates the entry for a file with the version of the engine that created the other files. */
function versionEntry(version: string): TarEntry {
  const body = new TextEncoder().encode(version);
  return {
    header: { name: VERSION_FILE, mtime: new Date(0), type: "file", size: body.byteLength },
    body,
  };
}

const folder = await Deno.makeTempDir({ prefix: "svc-template-" });
const versionFile = await Deno.makeTempFile({ prefix: "svc-template-version-" });
try {
  const main = join(ROOT, "src", "database", "embedded", "template", "initialize.ts");
  const flags = ["--allow-all", `--import-map=${ENGINE_NAMES}`];
  const code = await show([Deno.execPath(), "run", ...flags, main, folder, versionFile], {
    cwd: ROOT,
  });
  if (code !== 0) Deno.exit(code);
  const archive = await packTar([
    versionEntry(await Deno.readTextFile(versionFile)),
    ...await Array.fromAsync(entriesBelow(folder)),
  ]);
  const bytes = await promisify(brotliCompress)(archive, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: archive.byteLength,
    },
  });
  await Deno.writeFile(TEMPLATE_URL, bytes);
  console.log(`${archive.byteLength} bytes of files, ${bytes.byteLength} compressed`);
} finally {
  await Deno.remove(folder, { recursive: true });
  await Deno.remove(versionFile);
}
