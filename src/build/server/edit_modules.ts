/** @module Applies a framework's edits to a server's modules. */
import { readTextFile } from "../../lib/utf8.ts";
import type { ComputeLayer, Launch, OutputFile } from "../../manifest/mod.ts";
import type { EditModule } from "../../runtime/mod.ts";
import type { OutputContent } from "../hash_files.ts";

/** Maximum size of a module to edit, in bytes. Larger modules stay unchanged. */
const MAX_MODULE_BYTES = 16 * 1024 * 1024;

/** Combines all edits into one function. Returns `undefined` if there are none. */
export function editOf(launch: Launch | undefined): EditModule | undefined {
  const edits = launch?.edits;
  if (edits === undefined) return undefined;
  return (path, text) => {
    let edited: string | undefined;
    for (const edit of edits) {
      if (edit.path.test(path)) edited = edit.apply(edited ?? text) ?? edited;
    }
    return edited;
  };
}

/** Returns the modules of a layer that an edit changes, with their new source. */
export async function editedModules(
  files: readonly OutputFile[],
  { directory }: ComputeLayer,
  launch: Launch | undefined,
): Promise<readonly OutputContent[]> {
  const edit = editOf(launch);
  if (edit === undefined) return [];
  const contents: OutputContent[] = [];
  for (const { path, absolutePath, size } of files) {
    const isOwn = directory === "." || path.startsWith(`${directory}/`);
    if (!isOwn || size > MAX_MODULE_BYTES || !/\.[cm]?js$/.test(path)) continue;
    if (!launch!.edits!.some((each) => each.path.test(path))) continue;
    const edited = edit(path, await readTextFile(absolutePath, path));
    if (edited === undefined) continue;
    const content = new TextEncoder().encode(edited);
    contents.push({ path, content, size: content.byteLength });
  }
  return contents;
}
