/**
 * @module Adds a server's `package.json` if that file is above the output in the project. Node uses
 * the file to recognize CommonJS and to resolve names such as `#lib`.
 */
import { dirname, join } from "node:path/posix";
import * as z from "zod";
import { createFolderReader } from "../folder_reader.ts";
import type { OutputContent } from "../hash_files.ts";

const FILE = "package.json";

/** The fields that Node reads. Scripts and dependencies do not matter. */
const schema = z.object({
  name: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  imports: z.unknown().optional(),
  exports: z.unknown().optional(),
});

interface PackageFile {
  readonly path: string;
  readonly text: string;
}

async function nearestPackage(from: string, project: string): Promise<PackageFile | undefined> {
  for (let folder = from;; folder = dirname(folder)) {
    const text = await createFolderReader(folder).readText(FILE);
    if (text !== undefined) return { path: `${folder}/${FILE}`, text };
    if (folder === project || !folder.startsWith(`${project}/`)) return undefined;
  }
}

function reduced(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const { data } = schema.safeParse(JSON.parse(text));
    return data === undefined ? undefined : new TextEncoder().encode(JSON.stringify(data));
  } catch {
    return undefined;
  }
}

/**
 * Returns the `package.json` that the server needs, or `undefined` if one is already deployed or
 * the project has none.
 */
export async function ownPackage(
  { project, entry, directory, deployed }: {
    /** Absolute real paths, with `/`. */
    readonly project: string;
    readonly entry: string;
    /** The server's folder in the deployment. */
    readonly directory: string;
    /** Returns a file's path in the deployment, if the file is deployed anyway. */
    readonly deployed: (path: string) => string | undefined;
  },
): Promise<OutputContent | undefined> {
  const found = await nearestPackage(dirname(entry), project);
  if (found === undefined || deployed(found.path) !== undefined) return undefined;
  const content = reduced(found.text);
  if (content === undefined) return undefined;
  return { path: join(directory, FILE), content, size: content.byteLength };
}
