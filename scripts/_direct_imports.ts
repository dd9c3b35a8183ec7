/**
 * Resolves imports through a folder's `mod.ts` to the files that define the names.
 *
 * When one command uses a file that a `mod.ts` exports, esbuild loads that file for every command
 * that imports anything from the `mod.ts`. With direct imports, each command loads only what it
 * uses.
 *
 * @module
 */
import type { Plugin } from "esbuild";
import { dirname, join, relative, resolve } from "node:path";

/** Where a name is defined. */
interface Definition {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

const EXPORT = /^export (?<type>type )?\{(?<names>[^}]*)\} from "(?<from>\.[^"]+)";/gm;
const IMPORT = /^import \{(?<names>[^}]*)\} from "(?<from>\.[^"]*\/mod\.ts)";$/gm;
const NAME = /(?<type>type )?\b(?<name>\w+)(?: as (?<alias>\w+))?/g;
const COMMENT = /\/\*[^]*?\*\/|\/\/.*$/gm;

interface Name {
  readonly isType: boolean;
  readonly name: string;
  readonly alias: string;
}

/** Reads the list in the braces of an import or export. */
function namesIn(list: string): Name[] {
  return [...list.replace(COMMENT, "").matchAll(NAME)].map(({ groups }) => ({
    isType: groups!.type !== undefined,
    name: groups!.name!,
    alias: groups!.alias ?? groups!.name!,
  }));
}

/** Returns what a `mod.ts` with this text exports, by name. */
export function exportsIn(text: string, file: string): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  for (const { groups } of text.matchAll(EXPORT)) {
    const from = resolve(dirname(file), groups!.from!);
    for (const { isType, name, alias } of namesIn(groups!.names!)) {
      found.set(alias, { file: from, name, isType: isType || groups!.type !== undefined });
    }
  }
  return found;
}

/**
 * Replaces a module's imports from `mod.ts` files. Keeps the number of lines, so that stack traces
 * stay correct.
 *
 * @throws {TypeError} if a `mod.ts` does not export a name.
 */
export async function importDirectly(
  text: string,
  file: string,
  exportsOf: (file: string) => Promise<ReadonlyMap<string, Definition>>,
): Promise<string> {
  async function definitionOf(from: string, name: string): Promise<Definition> {
    const definition = (await exportsOf(from)).get(name);
    if (definition === undefined) throw new TypeError(`${from} does not export ${name}`);
    if (definition.isType || !definition.file.endsWith("/mod.ts")) return definition;
    return await definitionOf(definition.file, definition.name);
  }
  let [result, end] = ["", 0];
  for (const match of text.matchAll(IMPORT)) {
    const { names, from } = match.groups!;
    const imports: string[] = [];
    for (const { isType, name, alias } of namesIn(names!)) {
      const source = await definitionOf(resolve(dirname(file), from!), name);
      if (isType || source.isType) continue;
      const path = relative(dirname(file), source.file);
      imports.push(
        `import { ${source.name} as ${alias} } from "${path.startsWith(".") ? "" : "./"}${path}";`,
      );
    }
    const lines = "\n".repeat(match[0].split("\n").length - 1);
    result += text.slice(end, match.index) + imports.join(" ") + lines;
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

/** Applies {@link importDirectly} to the modules in `src` of a repository. */
export function directImports(root: string): Plugin {
  const known = new Map<string, Promise<ReadonlyMap<string, Definition>>>();
  const exportsOf = (file: string) => {
    const reading = known.get(file) ??
      Deno.readTextFile(file).then((text) => exportsIn(text, file));
    known.set(file, reading);
    return reading;
  };
  const source = join(root, "src") + "/";
  return {
    name: "direct-imports",
    setup(bundling) {
      bundling.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        if (!path.startsWith(source)) return undefined;
        const text = await Deno.readTextFile(path);
        return {
          contents: await importDirectly(text, path, exportsOf),
          loader: path.endsWith("x") ? "tsx" : "ts",
        };
      });
    },
  };
}
