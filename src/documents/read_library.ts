/**
 * @module Reads the documents: from the program if it is compiled, otherwise from the repository.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { readShippedFile } from "../lib/shipped_file.ts";
import { decodeFile, readTextFile } from "../lib/utf8.ts";
import { FILES } from "./contents.ts";
import { Library } from "./library.ts";

/**
 * Name of the compressed file with the documents in the staging folder, which is packed into the
 * program. The file contains an object that maps paths to contents.
 */
export const DOCUMENTS_FILE = "documents.json.br";

const FOLDER = new URL("../../docs/", import.meta.url);

/** Reads the files of the repository. Returns them by their paths below `docs`. */
export async function readSources(): Promise<Readonly<Record<string, string>>> {
  const texts = FILES.map(async (path) => {
    const { pathname } = new URL(path, FOLDER);
    return [path, await readTextFile(decodeURIComponent(pathname), `docs/${path}`)] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

async function readShipped(): Promise<Readonly<Record<string, string>>> {
  const bytes = await promisify(brotliDecompress)(readShippedFile(DOCUMENTS_FILE));
  return JSON.parse(decodeFile(new Uint8Array(bytes), DOCUMENTS_FILE));
}

let reading: Promise<Library> | undefined;

/** Returns all documents. They are read on first use, and do not change while the program runs. */
export function readLibrary(): Promise<Library> {
  return reading ??= (Deno.build.standalone ? readShipped() : readSources())
    .then((files) => new Library(files));
}
