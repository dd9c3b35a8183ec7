/**
 * Imports as the bundle has them: each name from the module that declares it, not from the
 * face of its folder. The bundler keeps together whatever a face mentions, so that a command
 * that wants one function of a folder would load all of it.
 *
 * @module
 */
import type { Plugin } from "esbuild";
import { dirname, join, relative, resolve, sep } from "node:path";

/** Reads a module of the program. */
export type ReadModule = (file: string) => string;

/** The name of an export, in the module that declares it. */
interface Declared {
  readonly file: string;
  readonly name: string;
}

const NAMED_IMPORT = /^import \{([^}]*)\} from "(\.{1,2}\/[^"]+)";$/gm;
const NAMED_EXPORT = /^export \{([^}]*)\} from "(\.{1,2}\/[^"]+)";$/gm;
const NAMESPACE_IMPORT = /^import \* as (\w+) from "(\.{1,2}\/[^"]+)";$/gm;
const ZOD_IMPORT = /^import \{ z \} from "zod";$/m;

/** Names in the braces of an import or export: as declared there, and as called here. */
function namesIn(braces: string): readonly (readonly [declared: string, local: string])[] {
  return braces.split(",").map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [declared, local] = name.split(" as ");
      return [declared!, local ?? declared!] as const;
    });
}

const pathFrom = (file: string, specifier: string): string => resolve(dirname(file), specifier);

/** Follows an export through the faces that pass it on. */
function findDeclared(wanted: Declared, read: ReadModule): Declared {
  for (const [, braces, specifier] of read(wanted.file).matchAll(NAMED_EXPORT)) {
    const found = namesIn(braces!).find(([, passedOnAs]) => passedOnAs === wanted.name);
    if (found === undefined) continue;
    return findDeclared({ file: pathFrom(wanted.file, specifier!), name: found[0] }, read);
  }
  return wanted;
}

/** The members of a constant such as `endpoints`, which only names exports of other modules. */
function membersOf({ file, name }: Declared, read: ReadModule): ReadonlyMap<string, Declared> {
  const text = read(file);
  const table =
    new RegExp(`^export const ${name} = \\{\\n((?:  \\w+: \\w+\\.\\w+,\\n)+)\\} as const;`, "m")
      .exec(text)?.[1] ?? "";
  const modules = new Map(
    [...text.matchAll(NAMESPACE_IMPORT)].map(([, local, specifier]) => [
      local!,
      pathFrom(file, specifier!),
    ]),
  );
  return new Map(
    [...table.matchAll(/(\w+): (\w+)\.(\w+),/g)].flatMap(([, member, local, declared]) => {
      const from = modules.get(local!);
      return from === undefined ? [] : [[member!, { file: from, name: declared! }]];
    }),
  );
}

function importLine({ file, name }: Declared, local: string): string {
  const named = name === local ? name : `${name} as ${local}`;
  return `import { ${named} } from ${JSON.stringify(file)};`;
}

/** The text of a module with its imports made direct; what the compiler finds unused, it drops. */
export function withDirectImports(file: string, read: ReadModule): string {
  const members = new Map<string, ReadonlyMap<string, Declared>>();
  const direct = withPartsOfFaces(file, read(file))
    .replace(ZOD_IMPORT, 'import * as z from "zod";')
    .replace(
      NAMED_IMPORT,
      (_, braces: string, specifier: string) =>
        namesIn(braces).map(([name, local]) => {
          const declared = findDeclared({ file: pathFrom(file, specifier), name }, read);
          const found = membersOf(declared, read);
          if (found.size > 0) members.set(local, found);
          return importLine(declared, local);
        }).join(" "),
    );
  const added = new Map<string, string>();
  let text = direct;
  for (const [table, known] of members) {
    text = text.replace(
      new RegExp(`(?<![\\w$.])${table}\\.(\\w+)\\b`, "g"),
      (use, name: string) => {
        const declared = known.get(name);
        if (declared === undefined) return use;
        const local = `${table}_${name}`;
        added.set(local, importLine(declared, local));
        return local;
      },
    );
  }
  return [...added.values(), text].join(" ");
}

const LATER_NAMES = /const (\{[^}=]*\}) = await import\("(\.{1,2}\/[^"]+)"\)/g;
const LATER_MEMBER = /\(await import\("(\.{1,2}\/[^"]+)"\)\)\.(\w+)/g;

/** A dynamic import of some names of a face is one of a module that has only these. */
function withPartsOfFaces(file: string, text: string): string {
  const part = (specifier: string, names: readonly string[]): string =>
    JSON.stringify(`${PART}${pathFrom(file, specifier)}?${names.join(",")}`);
  return text
    .replace(LATER_NAMES, (all, braces: string, specifier: string) => {
      const names = braces.slice(1, -1).split(",").map((name) => name.split(":")[0]!.trim());
      const known = names.filter((name) => name !== "");
      return known.length === 0 ? all : `const ${braces} = await import(${part(specifier, known)})`;
    })
    .replace(
      LATER_MEMBER,
      (_, specifier: string, name: string) => `(await import(${part(specifier, [name])})).${name}`,
    );
}

/** Marks a dynamic import of a part of a face. */
const FACE_PART = "part-of-face";
const PART = `${FACE_PART}:`;

/** The module of one part of a face: `/path/mod.ts?one,other`. */
export function partOfFace(path: string, read: ReadModule): string {
  const at = path.lastIndexOf("?");
  const file = path.slice(0, at);
  return path.slice(at + 1).split(",").map((name) => {
    const declared = findDeclared({ file, name }, read);
    const passedOn = declared.name === name ? name : `${declared.name} as ${name}`;
    return `export { ${passedOn} } from ${JSON.stringify(declared.file)};`;
  }).join("\n");
}

/** Loads the modules below `src` with direct imports. */
export function directImports(root: string): Plugin {
  const source = join(root, "src") + sep;
  const texts = new Map<string, string>();
  const read: ReadModule = (file) => {
    let text = texts.get(file);
    if (text === undefined) {
      texts.set(file, text = file.endsWith(".json") ? "" : Deno.readTextFileSync(file));
    }
    return text;
  };
  return {
    name: "direct-imports",
    setup(bundling) {
      // Each module has the same mark whoever imports it first, so that chunks have the same names.
      bundling.onResolve({ filter: /^(?:\/|\.{1,2}\/)/ }, ({ path, kind, resolveDir }) => {
        const file = resolve(resolveDir, path);
        const isOwn = file.startsWith(source) && /\.tsx?$/.test(file);
        return isOwn && kind !== "entry-point" ? { path: file, sideEffects: false } : undefined;
      });
      bundling.onResolve({ filter: new RegExp(`^${PART}`) }, ({ path }) => ({
        // Chunks are named the same wherever the repository lies.
        path: relative(root, path.slice(PART.length)),
        namespace: FACE_PART,
      }));
      bundling.onLoad({ filter: /.*/, namespace: FACE_PART }, ({ path }) => ({
        contents: partOfFace(join(root, path), read),
        resolveDir: root,
      }));
      bundling.onLoad(
        { filter: /\.tsx?$/ },
        ({ path }) =>
          path.startsWith(source)
            ? {
              contents: withDirectImports(path, read),
              loader: path.endsWith("x") ? "tsx" : "ts",
              resolveDir: dirname(path),
            }
            : undefined,
      );
    },
  };
}
