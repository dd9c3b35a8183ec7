/**
 * Finds promises whose rejection no one handles. Such a rejection crashes the process, so a promise
 * that is not awaited needs a `catch`. `void` is not enough, unless the called function cannot
 * reject.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { dirname, join } from "node:path";
import ts from "typescript";
import { hear } from "./_process.ts";
import { isOurSource, isTest, listFiles, ROOT } from "./_source_files.ts";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: "hono/jsx",
  lib: ["lib.esnext.d.ts"],
  types: [],
};

/** An import with its own types: `// @ts-types="./types.d.ts"`. */
const NAMED_TYPES = /^\/\/ @ts-types="([^"]+)"\nimport [^"]+ from "([^"]+)"/gm;

/** Collections whose methods do not throw, and functions that do not throw. */
const HARMLESS =
  /^(?:(?:Readonly)?(?:Map|Set|Array)|Weak(?:Map|Set)|Date|Math|Performance|clear\w+)$/;

/** Promises of the runtime that never reject. */
const SETTLED = new Set(["ChildProcess.status"]);

/**
 * Returns the file that an import names for its types, as Deno reads it, or `undefined` if there is
 * none.
 */
function namedTypes({ text, fileName }: ts.SourceFile, specifier: string): string | undefined {
  for (const [, types, imported] of text.matchAll(NAMED_TYPES)) {
    if (imported === specifier) return join(dirname(fileName), types!);
  }
  return undefined;
}

/** Opens the files as one program. `denoTypes` is what `deno types` prints. */
export function openProgram(files: readonly string[], denoTypes: string): ts.Program {
  const host = ts.createCompilerHost(OPTIONS);
  const globals = join(dirname(files[0]!), "_globals_of_deno.d.ts");
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path === globals || fileExists(path);
  host.readFile = (path) => path === globals ? denoTypes : readFile(path);
  host.getSourceFile = (path, ...rest) =>
    path === globals
      ? ts.createSourceFile(path, denoTypes, ts.ScriptTarget.ESNext)
      : getSourceFile(path, ...rest);
  host.resolveModuleNameLiterals = (literals, from, redirected, options, source) =>
    literals.map(({ text }) => {
      const found = ts.resolveModuleName(text, from, options, host, undefined, redirected);
      const resolvedFileName = namedTypes(source, text);
      const isTyped = /ts$/.test(found.resolvedModule?.extension ?? "");
      return isTyped || resolvedFileName === undefined
        ? found
        : { resolvedModule: { resolvedFileName, extension: ts.Extension.Dts } };
    });
  return ts.createProgram({ rootNames: [...files, globals], options: OPTIONS, host });
}

/** Finds the floating promises in the files, and returns each as `path:line: problem`. */
export function findFloatingPromises(
  program: ts.Program,
  files: readonly string[],
  root: string,
): string[] {
  const finder = new Finder(program.getTypeChecker());
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    return finder.find(source).map(({ node, problem }) => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      return `${file.slice(root.length + 1)}:${line + 1}: ${problem}`;
    });
  });
}

interface Finding {
  readonly node: ts.Node;
  readonly problem: string;
}

const FLOATS = "Await this promise, or handle its rejection with a catch";
const MISUSED = "No one handles this function's promise, because its caller expects no result";
const UNKNOWN = "This module's types are unknown, so its promises cannot be checked";

class Finder {
  readonly #judged = new Map<ts.Node, boolean>();

  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  find(source: ts.SourceFile): Finding[] {
    const found: Finding[] = [];
    const visit = (node: ts.Node): void => {
      const problem = this.#problemOf(node);
      if (problem !== undefined) found.push({ node, problem });
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  }

  #problemOf(node: ts.Node): string | undefined {
    if (ts.isImportDeclaration(node)) {
      return this.#checker.getSymbolAtLocation(node.moduleSpecifier) ? undefined : UNKNOWN;
    }
    if (ts.isExpressionStatement(node) || ts.isVoidExpression(node)) {
      return this.#isHandled(node.expression) ? undefined : FLOATS;
    }
    return this.#isMisused(node) ? MISUSED : undefined;
  }

  #isPromise(type: ts.Type): boolean {
    if (type.isUnion()) return type.types.some((part) => this.#isPromise(part));
    const then = type.getProperty("then");
    return then !== undefined && this.#signatures(this.#checker.getTypeOfSymbol(then)).length > 0;
  }

  #signatures(type: ts.Type): readonly ts.Signature[] {
    if (type.isUnion()) return type.types.flatMap((part) => this.#signatures(part));
    return this.#checker.getSignaturesOfType(type, ts.SignatureKind.Call);
  }

  /** Returns true if an expression is not a promise, or a promise that is used or cannot reject. */
  #isHandled(node: ts.Expression): boolean {
    if (ts.isParenthesizedExpression(node)) return this.#isHandled(node.expression);
    if (ts.isAwaitExpression(node) || ts.isYieldExpression(node) || ts.isVoidExpression(node)) {
      return true;
    }
    if (ts.isConditionalExpression(node)) {
      return this.#isHandled(node.whenTrue) && this.#isHandled(node.whenFalse);
    }
    if (ts.isBinaryExpression(node)) {
      return isAssignment(node) ||
        this.#isHandled(node.left) && this.#isHandled(node.right);
    }
    if (!this.#isPromise(this.#checker.getTypeAtLocation(node))) return true;
    if (ts.isPropertyAccessExpression(node)) return this.#isSettled(node);
    if (ts.isIdentifier(node)) return this.#isHandledConstant(node);
    return ts.isCallExpression(node) && (this.#hasHandler(node) || this.#cannotReject(node));
  }

  #isSettled(node: ts.PropertyAccessExpression): boolean {
    const owner = this.#checker.getTypeAtLocation(node.expression).symbol?.name;
    return SETTLED.has(`${owner}.${node.name.text}`);
  }

  #isHandledConstant(node: ts.Identifier): boolean {
    const declaration = this.#checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return false;
    const { initializer } = declaration;
    const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
    return isConstant && initializer !== undefined && this.#isHandled(initializer);
  }

  /** Returns whether a call is `catch(…)`, `then(…, …)`, or `finally(…)` after one of them. */
  #hasHandler(call: ts.CallExpression): boolean {
    if (!ts.isPropertyAccessExpression(call.expression)) return false;
    const { name, expression } = call.expression;
    if (name.text === "catch") return call.arguments.length === 1;
    if (name.text === "then" && call.arguments.length === 2) return true;
    return /^(?:then|finally)$/.test(name.text) && this.#isHandled(expression) &&
      call.arguments.every((handler) => this.#isHarmlessFunction(handler));
  }

  #isHarmlessFunction(node: ts.Node): boolean {
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      return this.#isGuarded(node.body);
    }
    return this.#callee(this.#checker.getTypeAtLocation(node)) !== undefined;
  }

  /** Returns the body of one of our functions, if it is known and cannot throw. */
  #callee(type: ts.Type): ts.Node | undefined {
    const body = bodyOf(this.#signatures(type)[0]?.declaration);
    return body !== undefined && this.#isGuarded(body) ? body : undefined;
  }

  /** Returns whether the body of the called function shows that it cannot reject. */
  #cannotReject(call: ts.CallExpression): boolean {
    return this.#isSafe(this.#checker.getResolvedSignature(call)?.declaration);
  }

  #isSafe(declaration: ts.Node | undefined): boolean {
    const body = bodyOf(declaration);
    if (declaration === undefined || body === undefined) return false;
    const known = this.#judged.get(body);
    if (known !== undefined) return known;
    this.#judged.set(body, false);
    const isAsync = (ts.getCombinedModifierFlags(declaration as ts.Declaration) &
      ts.ModifierFlags.Async) !== 0;
    const result = isAsync ? this.#isGuarded(body) : this.#returnsHandled(body);
    this.#judged.set(body, result);
    return result;
  }

  #returnsHandled(body: ts.Node): boolean {
    if (!ts.isBlock(body)) return this.#isHandled(body as ts.Expression);
    let handled = true;
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) return;
      if (ts.isReturnStatement(node) && node.expression !== undefined) {
        const returned = node.expression;
        const value = ts.isBinaryExpression(returned) ? returned.right : returned;
        handled &&= this.#isHandled(value);
      }
      ts.forEachChild(node, visit);
    };
    visit(body);
    return handled;
  }

  /** Returns whether everything in a body that can throw is inside a `try` with a `catch`. */
  #isGuarded(node: ts.Node): boolean {
    if (ts.isFunctionLike(node)) return true;
    if (ts.isTryStatement(node) && node.catchClause !== undefined) {
      return this.#onlyReports(node.catchClause) &&
        (node.finallyBlock === undefined || this.#onlyReports(node.finallyBlock));
    }
    if (ts.isThrowStatement(node) || ts.isNewExpression(node)) return false;
    if (ts.isAwaitExpression(node) && !this.#isHandledOperand(node.expression)) return false;
    if (ts.isCallExpression(node) && !this.#isHarmlessCall(node)) return false;
    return ts.forEachChild(node, (child) => this.#isGuarded(child) ? undefined : true) !== true;
  }

  #isHandledOperand(node: ts.Expression): boolean {
    return ts.isCallExpression(node) && this.#isHandled(node);
  }

  #isHarmlessCall(call: ts.CallExpression): boolean {
    const declaration = this.#checker.getResolvedSignature(call)?.declaration;
    if (declaration === undefined || ts.isJSDocSignature(declaration)) return false;
    const owner = declaration.parent;
    const name = ts.isInterfaceDeclaration(owner) ? owner.name : declaration.name;
    if (declaration.getSourceFile().isDeclarationFile) {
      return HARMLESS.test(name?.getText() ?? "") ||
        this.#isPromise(this.#checker.getTypeAtLocation(call)) && this.#hasHandler(call);
    }
    return this.#cannotReject(call);
  }

  /**
   * A handler may call reporting functions, but must neither throw nor await anything that can
   * reject.
   */
  #onlyReports(node: ts.Node): boolean {
    if (ts.isFunctionLike(node)) return true;
    if (ts.isThrowStatement(node)) return false;
    if (ts.isAwaitExpression(node) && !this.#isHandledOperand(node.expression)) return false;
    return ts.forEachChild(node, (child) => this.#onlyReports(child) ? undefined : true) !== true;
  }

  /**
   * Returns whether a function that returns a promise is passed to code that expects a function
   * without a result.
   */
  #isMisused(node: ts.Node): boolean {
    if (!isHandedOver(node) || !mayReturnPromise(node)) return false;
    const given = this.#signatures(this.#checker.getTypeAtLocation(node));
    const returned = given.map((signature) => this.#checker.getReturnTypeOfSignature(signature));
    if (!returned.some((type) => this.#isPromise(type))) return false;
    // Checked last, because the checker resolves the whole call for it.
    const expected = this.#checker.getContextualType(node);
    const wanted = expected === undefined ? [] : this.#signatures(expected);
    if (wanted.length === 0 || !wanted.every((signature) => this.#ignoresResult(signature))) {
      return false;
    }
    return !this.#isSafe(given[0]?.declaration);
  }

  #ignoresResult(signature: ts.Signature): boolean {
    return (this.#checker.getReturnTypeOfSignature(signature).flags & ts.TypeFlags.Void) !== 0;
  }
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function bodyOf(declaration: ts.Node | undefined): ts.Node | undefined {
  return (declaration as ts.FunctionLikeDeclaration | undefined)?.body;
}

/** Returns whether a node is an argument, or a value that is assigned. */
function isHandedOver(node: ts.Node): node is ts.Expression {
  const { parent } = node;
  if (parent === undefined || !ts.isExpression(node)) return false;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    // `finally` waits for what its function returns.
    const isWaitedFor = ts.isPropertyAccessExpression(parent.expression) &&
      parent.expression.name.text === "finally";
    return !isWaitedFor && (parent.arguments?.includes(node) ?? false);
  }
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  // A variable without a type annotation accepts any function.
  if (ts.isVariableDeclaration(parent)) {
    return parent.initializer === node && parent.type !== undefined;
  }
  return ts.isBinaryExpression(parent) && parent.right === node &&
    parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

/**
 * Returns false for values that are not functions and for functions that return nothing, judging by
 * syntax alone.
 */
function mayReturnPromise(node: ts.Expression): boolean {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
    const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
    return isAsync === true || !ts.isBlock(node.body) || returnsValue(node.body);
  }
  return !ts.isLiteralExpression(node) && !ts.isTemplateExpression(node) &&
    !ts.isObjectLiteralExpression(node) && !ts.isArrayLiteralExpression(node) &&
    !ts.isNewExpression(node) && !ts.isPrefixUnaryExpression(node);
}

function returnsValue(node: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return false;
  if (ts.isReturnStatement(node)) return node.expression !== undefined;
  return ts.forEachChild(node, (child) => returnsValue(child) || undefined) === true;
}

if (import.meta.main) {
  const files = listFiles(ROOT)
    .filter((path) => /^(?:src\/|main\.ts)/.test(path) && isOurSource(path))
    .filter((path) => !isTest(path) && !/\/(?:_test_|_fake_)|_bench\.ts$/.test(path))
    .map((path) => join(ROOT, path));
  const { stdout: denoTypes } = await hear([Deno.execPath(), "types"]);
  const found = findFloatingPromises(openProgram(files, denoTypes), files, ROOT);
  console.log(found.join("\n"));
  Deno.exit(found.length === 0 ? 0 : 1);
}
