/**
 * @module Modules that create their own `require` with `createRequire`, as many bundles do. A
 * bundler sees only function calls there and would miss the required modules. Therefore, each such
 * `require` first looks in a table that the bundler fills.
 */
import { isBuiltin } from "node:module";
import { parse } from "acorn";

interface OwnRequires {
  /**
   * The module, changed so that its own `require` looks into the table. It is unchanged if it needs
   * no table.
   */
  readonly text: string;
  /** Plain names that are required, without Node's own modules. */
  readonly specifiers: readonly string[];
  /** Whether something is required by a computed name, or from a different location. */
  readonly computed: boolean;
}

/** Name of the imported table in a module. */
const TABLE = "__svcRequires";

/** Specifier of a module's table. The plugin that loads the table identifies the module by path. */
export const TABLE_SCHEME = "svc-requires:";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) => Array.isArray(value) ? value : [value])
    .filter(isNode);
}

const nameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Identifier" ? value.name as string : undefined;

const textOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "Literal" && typeof value.value === "string"
    ? value.value
    : undefined;

/** Text and name that identify the wrapper that bundlers put around `require` for CommonJS code. */
const SHIM_MESSAGE = "Dynamic require of";
const SHIM_NAME = /^__require/;

const isModuleName = (value: unknown): boolean =>
  ["module", "node:module"].includes(textOf(value) ?? "");

/** Returns whether this is `require("node:module")`. */
function isRequired({ type, callee, arguments: given }: Node): boolean {
  return type === "CallExpression" && nameOf(callee) === "require" &&
    isModuleName((given as Node[])[0]);
}

/** Returns the local names of a property in a destructuring pattern. */
function namesOf(pattern: unknown, key: string): readonly string[] {
  if (!isNode(pattern) || pattern.type !== "ObjectPattern") return [];
  return (pattern.properties as Node[])
    .filter((property) => nameOf(property.key) === key)
    .flatMap(({ value }) => nameOf(value) ?? []);
}

/** Nodes whose key is only a name, not a use of a variable. */
const NAMED: ReadonlySet<string> = new Set(["Property", "MethodDefinition", "PropertyDefinition"]);

class Search {
  /** Local names of `createRequire`. */
  readonly makers = new Set<string>();
  /** Local names of `node:module` itself. */
  readonly modules = new Set<string>();
  readonly requires = new Set<string>();
  /** The `require` functions that another module has created. */
  readonly borrowed = new Set<string>();
  readonly made: Node[] = [];
  readonly specifiers = new Set<string>();
  computed = false;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Finds the names before their uses, because a function can precede the definition of a name that
   * it uses.
   */
  find(node: Node): void {
    if (node.type === "ImportDeclaration") this.#findImport(node);
    if (node.type === "VariableDeclarator") this.#findVariable(node);
    for (const child of childrenOf(node)) this.find(child);
  }

  #findImport({ source, specifiers }: Node): void {
    const isModule = isModuleName(source);
    for (const specifier of specifiers as Node[]) {
      const local = nameOf(specifier.local);
      if (local === undefined) continue;
      if (SHIM_NAME.test(nameOf(specifier.imported) ?? "")) this.borrowed.add(local);
      if (!isModule) continue;
      const isWhole = specifier.type !== "ImportSpecifier";
      if (isWhole) this.modules.add(local);
      else if (nameOf(specifier.imported) === "createRequire") this.makers.add(local);
    }
  }

  #findVariable({ id, init }: Node): void {
    if (!isNode(init)) return;
    const name = nameOf(id);
    if (isRequired(init)) {
      if (name !== undefined) this.modules.add(name);
      else for (const local of namesOf(id, "createRequire")) this.makers.add(local);
      return;
    }
    if (name === undefined) return;
    if (this.#isMaking(init) || this.#isShim(init)) this.requires.add(name);
  }

  #isShim({ start, end }: Node): boolean {
    return end - start < 2_000 && this.#source.slice(start, end).includes(SHIM_MESSAGE);
  }

  /** Returns whether this is `createRequire(…)`. */
  #isMaking({ type, callee }: Node): boolean {
    if (type !== "CallExpression" || !isNode(callee)) return false;
    if (this.makers.has(nameOf(callee) ?? "")) return true;
    return callee.type === "MemberExpression" && nameOf(callee.property) === "createRequire" &&
      this.modules.has(nameOf(callee.object) ?? "");
  }

  /** Visits each use of the found names. */
  visit(node: Node): void {
    if (node.type === "ImportDeclaration") return;
    if (node.type === "VariableDeclarator" && this.requires.has(nameOf(node.id) ?? "")) {
      const init = node.init as Node | null;
      if (init !== null && this.#isMaking(init)) this.#take(init);
      else if (init !== null && !this.#isShim(init)) this.visit(init);
      return;
    }
    if (node.type === "CallExpression") return this.#visitCall(node);
    if (node.type === "MemberExpression") {
      if (this.requires.has(nameOf(node.object) ?? "")) this.computed = true;
      else this.visit(node.object as Node);
      if (node.computed === true) this.visit(node.property as Node);
      return;
    }
    if (node.type === "UnaryExpression" && node.operator === "typeof") return;
    if (NAMED.has(node.type) && node.computed !== true && node.shorthand !== true) {
      return isNode(node.value) ? this.visit(node.value) : undefined;
    }
    // Calls of an exported wrapper are checked in the modules that import it.
    if (node.type === "ExportSpecifier" && SHIM_NAME.test(nameOf(node.exported) ?? "")) return;
    if (this.requires.has(nameOf(node) ?? "")) this.computed = true;
    for (const child of childrenOf(node)) this.visit(child);
  }

  #visitCall(node: Node): void {
    const { callee, arguments: given } = node as Node & { callee: Node; arguments: Node[] };
    if (this.borrowed.has(nameOf(callee) ?? "")) {
      this.computed ||= !isBuiltin(textOf(given[0]) ?? "");
    } else if (this.#isMaking(node)) {
      // The function is passed to code that is not analyzed here.
      this.computed = true;
    } else if (this.requires.has(nameOf(callee) ?? "") || this.#isMaking(callee)) {
      if (this.#isMaking(callee)) this.#take(callee);
      const specifier = textOf(given[0]);
      if (specifier === undefined) this.computed = true;
      else if (!isBuiltin(specifier)) this.specifiers.add(specifier);
    } else {
      this.visit(callee);
    }
    for (const argument of given) this.visit(argument);
  }

  #take(node: Node): void {
    const [from] = node.arguments as Node[];
    const place = from === undefined ? "" : this.#source.slice(from.start, from.end);
    if (/^(?:import\.meta\.(?:url|filename)|__filename|__svc_\w+)$/.test(place)) {
      this.made.push(node);
    } else {
      this.computed = true;
    }
  }
}

/** Returns whether a module may create its own `require`. */
export const mayOwnRequire = (text: string): boolean => /createRequire|\b__require\b/.test(text);

/**
 * Finds the modules that a module requires with its own `require`, and changes the module to use a
 * table.
 */
export function ownRequires(text: string, path: string): OwnRequires {
  let program: Node;
  try {
    program = parse(text, {
      ecmaVersion: "latest",
      sourceType: "module",
      allowHashBang: true,
    }) as unknown as Node;
  } catch {
    // The module is usually CommonJS; esbuild reports its problems.
    return { text, specifiers: [], computed: false };
  }
  const search = new Search(text);
  search.find(program);
  search.visit(program);
  const specifiers = [...search.specifiers];
  const { computed } = search;
  if (specifiers.length === 0) return { text, specifiers, computed };
  let wrapped = text;
  for (const { start, end } of search.made.sort((left, right) => right.start - left.start)) {
    wrapped = `${wrapped.slice(0, start)}${TABLE}(${wrapped.slice(start, end)})` +
      wrapped.slice(end);
  }
  const [hashbang = ""] = /^#!.*\n/.exec(wrapped) ?? [];
  const table = `import ${TABLE} from ${JSON.stringify(TABLE_SCHEME + path)};`;
  return { text: `${hashbang}${table}${wrapped.slice(hashbang.length)}`, specifiers, computed };
}

/** Returns the text of a table module, which shows each `require` call to the bundler. */
export function requireTable(specifiers: readonly string[]): string {
  const rows = specifiers.map((name) => JSON.stringify(name)).map((name) =>
    `${name}: () => require(${name})`
  );
  return `const table = { __proto__: null, ${rows.join(", ")} };
export default (own) => Object.assign((name) => name in table ? table[name]() : own(name), own);
`;
}
