/** @module Files that a framework's server needs in addition to its entry. */
import { basename, dirname, join } from "node:path/posix";
import type { Launch } from "../../manifest/mod.ts";
import type { OutputContent } from "../hash_files.ts";

const SERVER_FILE = "svc-server.mjs";
const PRELUDE_FILE = "svc-prelude.mjs";

interface LaunchFiles {
  /** Deployment path of the file that Node starts. */
  readonly entry: string;
  readonly contents: readonly OutputContent[];
}

/** Creates the module that Node starts, which runs the prelude and then the entry. */
export function launchFiles(entry: string, launch: Launch | undefined): LaunchFiles {
  const { prelude, wrapper } = launch ?? {};
  if (prelude === undefined && wrapper === undefined) return { entry, contents: [] };
  const folder = dirname(entry);
  const file = (name: string, text: string): OutputContent => {
    const content = new TextEncoder().encode(text);
    return { path: join(folder, name), content, size: content.byteLength };
  };
  const name = basename(entry);
  const own = wrapper?.(name) ?? `import ${JSON.stringify(`./${name}`)};\n`;
  const first = prelude === undefined ? "" : `import "./${PRELUDE_FILE}";\n`;
  return {
    entry: join(folder, SERVER_FILE),
    contents: [
      file(SERVER_FILE, first + own),
      ...(prelude === undefined ? [] : [file(PRELUDE_FILE, `${prelude}\n`)]),
    ],
  };
}
