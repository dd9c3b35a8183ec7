/** @module Reads an upload form: file hashes, an archive, or the files themselves. */
import * as z from "zod";
import type { BlobSource } from "../../client/upload_blobs.ts";
import { deploymentFile } from "../../contract/deployment_files.ts";
import { formatCount } from "../../lib/format.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { SentForm } from "../layout/form.ts";
import type { SiteFile } from "./deploy_files.ts";
import { readZip } from "./read_zip.ts";
import { commonFolder, siteFiles } from "./site_files.ts";

/** Maximum size of a form, in bytes. An archive is kept in memory while it is read. */
export const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

export interface Upload {
  /** Name of the folder or archive; `undefined` if the files have no common folder. */
  readonly name: string | undefined;
  readonly files: readonly SiteFile[];
  /**
   * The content of the files; `undefined` if the browser sends the content of missing files in
   * separate requests.
   */
  readonly contents: readonly BlobSource[] | undefined;
}

const listed = z.array(deploymentFile.extend({ path: z.string() })).max(200_000);

function readList(text: string): Upload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure("invalid_request", "Cannot read the list of files", { cause });
  }
  const read = listed.safeParse(value);
  if (!read.success) throw new Failure("invalid_request", "Cannot read the list of files");
  return {
    name: commonFolder(read.data),
    files: siteFiles(read.data),
    contents: undefined,
  };
}

/** Maximum length of the folder's or archive's name in a title, in characters. */
const MAX_NAME = 100;

/** Returns the title of an upload that has no description. */
export function uploadTitle({ name, files }: Pick<Upload, "name" | "files">): string {
  const count = formatCount(files.length, "file");
  return name === undefined
    ? `Upload of ${count}`
    : `Upload of ${name.slice(0, MAX_NAME)} (${count})`;
}

/** @throws {Failure} `invalid_request` if the form does not contain a valid upload */
export async function readUpload({ fields, files: filesOf }: SentForm): Promise<Upload> {
  if (fields.list !== undefined) return readList(fields.list);
  let archive: string | undefined;
  const given: { path: string; content: Uint8Array<ArrayBuffer> }[] = [];
  for (const file of filesOf("files")) {
    // Browsers send an empty file for a field without files (HTML, 4.10.21.4).
    if (file.name === "" && file.size === 0) continue;
    const content = new Uint8Array(await file.arrayBuffer());
    if (/\.zip$/i.test(file.name)) {
      given.push(...await readZip(content));
      archive = file.name;
    } else given.push({ path: file.name, content });
  }
  if (given.length === 0) {
    throw new Failure("invalid_request", "Choose a zip archive or a folder to upload");
  }
  const files = siteFiles(given).map(({ path, content }) => ({
    path,
    content,
    sha256: sha256Hex(content),
    size: content.byteLength,
  }));
  return { name: archive ?? commonFolder(given), files, contents: files };
}
