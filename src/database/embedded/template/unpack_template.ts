/** @module The files of an empty database, shipped with the program. */
import { unpackTar } from "modern-tar";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { readShippedFile } from "../../../lib/shipped_file.ts";

/** Name of the archive in the compiled program, and next to this module. */
export const TEMPLATE_FILE = "database_template.tar.br";

/** The archive in the source tree. */
export const TEMPLATE_URL = new URL(`./${TEMPLATE_FILE}`, import.meta.url);

/**
 * Name of the first file in the archive, which contains the version of the engine that created the
 * other files.
 */
export const VERSION_FILE = "engine_version";

/** PostgreSQL rejects files that others can read. */
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600];

export interface Template {
  /** SHA-256 of the archive. Files from another archive are not used. */
  readonly digest: string;
  readonly archive: Uint8Array<ArrayBuffer>;
}

export async function readTemplate(): Promise<Template> {
  const archive = Deno.build.standalone
    ? readShippedFile(TEMPLATE_FILE)
    : await Deno.readFile(TEMPLATE_URL);
  return { archive, digest: createHash("sha256").update(archive).digest("hex") };
}

/**
 * Writes the files into a folder.
 *
 * @param version of the engine, such as `18.6 (PGlite 0.5.16)`
 * @throws {Error} if the files were created by another version, whose format may differ
 */
export async function unpackTemplate(
  { archive }: Pick<Template, "archive">,
  { folder, version }: { readonly folder: string; readonly version: string },
): Promise<void> {
  const bytes = new Uint8Array(await promisify(brotliDecompress)(archive));
  const [made, ...entries] = await unpackTar(bytes);
  const madeBy = made?.header.name === VERSION_FILE ? new TextDecoder().decode(made.data) : "none";
  if (madeBy !== version) {
    throw new Error(
      `The files of an empty database are from PostgreSQL ${madeBy}, but this program has ${version}: recreate them with deno task database-template`,
    );
  }
  const paths = entries.map(({ header }) => ({ header, path: join(folder, header.name) }));
  const folders = new Set(
    paths.map(({ header, path }) => header.type === "directory" ? path : dirname(path)),
  );
  for (const path of folders) await Deno.mkdir(path, { recursive: true, mode: FOLDER_MODE });
  await Promise.all(entries.map(async ({ header, data }, at) => {
    if (header.type !== "file") return;
    await Deno.writeFile(paths[at]!.path, data ?? new Uint8Array(), { mode: FILE_MODE });
  }));
}
