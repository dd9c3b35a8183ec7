/**
 * Functions as a debugger shows them: with the files that they consist of.
 *
 * @module
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { readTextFile } from "../../lib/utf8.ts";
import { readInlineMap } from "../../runtime/mod.ts";

const mapSchema = z.looseObject({ sources: z.array(z.string()) });

/**
 * Adds a second source map before the inlined one, which the runtime removes for its stack traces.
 * It contains the project's files by URL, with their text.
 */
export async function debuggableSource(source: string, home: string): Promise<string> {
  const { data: map } = mapSchema.safeParse(JSON.parse(readInlineMap(source) ?? "null"));
  if (map === undefined) return source;
  const paths = map.sources.map((name) => join(home, name.replace(/^received:/, "")));
  const whole = {
    ...map,
    sources: paths.map((path) => pathToFileURL(path).href),
    sourcesContent: await Promise.all(paths.map((path) => readTextFile(path).catch(() => null))),
  };
  const comment = `//# sourceMappingURL=data:application/json,${
    encodeURIComponent(JSON.stringify(whole))
  }`;
  const end = source.lastIndexOf("\n//# sourceMappingURL=");
  return `${source.slice(0, end)}\n${comment}${source.slice(end)}`;
}
