import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { bundleFunctions } from "./bundle_functions.ts";
import { judgeNames } from "./find_functions.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { binaryName, binaryPackage, unpackBinary } from "./load_esbuild.ts";
import { sealFunction } from "./seal_function.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const OPTIONS = { cacheDir: "/nonexistent" };

async function inProject<T>(
  files: Readonly<Record<string, string>>,
  run: (folder: string) => Promise<T>,
): Promise<T> {
  return await inTestFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
    return await run(folder);
  });
}

/** Returns each problem as `file:line:column code: message`. */
function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return inProject(files, async (folder) => {
    const result = await bundleFunctions(folder, OPTIONS);
    assert.equal(result.ok, false);
    return result.problems.map(({ file, position, code, message }) => {
      const place = position === undefined ? file : `${file}:${position.line}:${position.column}`;
      return `${place} ${code}: ${message}`;
    });
  });
}

const GOOD = "export default () => new Response('ok');\n";

const PROBLEMS: Readonly<Record<string, readonly [Record<string, string>, readonly string[]]>> = {
  "a syntax error": [{ "functions/a.ts": "export default (\n" }, [
    "functions/a.ts:2:1 bundle_failed: Unexpected end of file",
  ]],
  "no default export": [{ "functions/a.js": "export const a = 1;" }, [
    'functions/a.js missing_default_export: Function "a" must have a default export, but has none',
  ]],
  "Node's own modules": [
    {
      "functions/a.ts": 'import "../lib/b.ts";\nexport default () => {};',
      "lib/b.ts": '\nimport fs from "node:fs";\nimport path from "path";\nconsole.log(fs, path);',
    },
    [
      'lib/b.ts:2:16 import_refused: A function cannot import the Node module "node:fs"',
      'lib/b.ts:3:18 import_refused: A function cannot import the Node module "path"',
    ],
  ],
  "an import from a URL": [{ "functions/a.ts": 'export { default } from "npm:hono";' }, [
    'functions/a.ts:1:25 import_refused: A function cannot import from a URL: "npm:hono"',
  ]],
  "a missing package": [{ "functions/a.ts": 'export { default } from "absent";' }, [
    'functions/a.ts:1:25 bundle_failed: Could not resolve "absent"',
  ]],
  "two files with the same name, and an invalid name": [
    { "functions/a.ts": GOOD, "functions/a.js": GOOD, "functions/B_c.ts": GOOD },
    [
      "functions/B_c.ts invalid_name: A function name must have 1 to 64 characters of a-z, 0-9 and hyphens, " +
      'with no hyphen at either end: it is "B_c"',
      'functions/a.ts duplicate_function: Function "a" must come from a single file, but functions/a.js ' +
      "also exists",
    ],
  ],
  "a bundle that is too large": [
    { "functions/a.js": `export default () => "${"x".repeat(4_200_000)}";` },
    [
      'functions/a.js too_large: Function "a" must be at most 4194304 bytes including its ' +
      "imports: it has 4200",
    ],
  ],
  "several problems in one pass": [
    { "functions/a.ts": "export const a = 1;", "functions/b.ts": "let 1;" },
    [
      'functions/a.ts missing_default_export: Function "a" must have a default export, but has none',
      'functions/b.ts:1:5 bundle_failed: Expected ";" but found "1"',
    ],
  ],
};

for (const [name, [files, expected]] of Object.entries(PROBLEMS)) {
  Deno.test(`bundleFunctions() refuses ${name}`, async () => {
    const problems = await problemsOf(files);
    assert.equal(problems.length, expected.length, problems.join("\n"));
    for (const [at, text] of expected.entries()) {
      assert.ok(problems[at]?.startsWith(text), problems.join("\n"));
    }
  });
}

Deno.test("bundleFunctions() creates one module from a function and its packages", async () => {
  const files = {
    "functions/a.ts": 'import { two } from "kept";\nexport default (): number => two;',
    "functions/_shared.ts": "broken, but not a function",
    "functions/svc.d.ts": "broken, but not a function",
    "functions/a_test.ts": "broken, but not a function",
    "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
    "node_modules/kept/index.js": "exports.two = 2;",
  };
  await inProject(files, async (folder) => {
    const result = await bundleFunctions(folder, OPTIONS);
    assert.ok(result.ok);
    const [{ name, source, sha256 } = assert.fail()] = result.functions;
    assert.equal(name, "a");
    assert.match(sha256, /^[0-9a-f]{64}$/);
    const text = new TextDecoder().decode(source);
    const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    assert.equal(module.default(), 2);
    const again = await bundleFunctions(folder, OPTIONS);
    assert.equal(again.ok && again.functions[0]?.sha256, sha256);
  });
});

Deno.test("bundleFunctions() finds no functions if there is no folder", async () => {
  await inProject({}, async (folder) => {
    assert.deepEqual(await bundleFunctions(folder, OPTIONS), { ok: true, functions: [] });
  });
});

Deno.test("judgeNames() refuses too many functions", () => {
  const { problems } = judgeNames(Array.from({ length: 101 }, (_, at) => `f${at}.ts`));
  assert.deepEqual(problems.map(({ code }) => code), ["too_many_functions"]);
});

const SEALED: Readonly<Record<string, string>> = {
  "import() of a name": "export default (x) => import(x);",
  "import() with options": "export default (x) => import(x, { with: { type: 'json' } });",
  "import.source()": "export default (x) => import.source(x);",
  "import.defer()": "export default (x) => import.defer(x);",
  "import.meta": "export default () => import.meta.url;",
};

for (const [name, source] of Object.entries(SEALED)) {
  Deno.test(`sealFunction() leaves no ${name}`, async () => {
    const sealed = await sealFunction("a", source, OPTIONS);
    assert.ok(sealed.ok);
    const text = new TextDecoder().decode(sealed.function.source);
    assert.doesNotMatch(text, /\bimport\s*[(.]/);
  });
}

Deno.test("sealFunction() refuses modules that import, in every form", async () => {
  for (
    const source of [
      'import "node:fs"; export default 1;',
      'export * from "node:fs"; export default 1;',
      'import source x from "a"; export default x;',
      'import defer * as x from "a"; export default x;',
      'export default () => import("node:fs");',
      'export default () => require("node:fs");',
      'import x from "file:///etc/passwd" with { type: "text" }; export default x;',
    ]
  ) {
    const sealed = await sealFunction("a", source, OPTIONS);
    assert.ok(!sealed.ok && sealed.problems[0]?.code === "import_refused", source);
  }
});

Deno.test("sealFunction() does not read a source map from disk", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, '{"version":3,"sources":["SECRET"],"mappings":"AAAA"}');
  for (const place of [path, `file://${path}`]) {
    const sealed = await sealFunction(
      "a",
      `export default 1;\n//# sourceMappingURL=${place}`,
      OPTIONS,
    );
    assert.ok(sealed.ok);
    const map = new TextDecoder().decode(sealed.function.source).split("base64,")[1] ?? "";
    assert.doesNotMatch(atob(map.trim()), /SECRET/);
  }
  await Deno.remove(path);
});

Deno.test("unpackBinary() writes an executable once, repairs a truncated file, and checks the digest", async () => {
  const bytes = new TextEncoder().encode("#!/bin/sh\n");
  const facts = { bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
  await inProject({ "staged.json": JSON.stringify(facts) }, async (folder) => {
    await Deno.writeFile(join(folder, "staged.br"), brotliCompressSync(bytes));
    const cache = join(folder, "cache");
    const path = await unpackBinary(join(folder, "staged"), cache);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
    await Deno.writeTextFile(path, "#!");
    assert.equal(await unpackBinary(join(folder, "staged"), cache), path);
    assert.equal(await Deno.readTextFile(path), "#!/bin/sh\n");
    await Deno.remove(path);
    await Deno.writeFile(join(folder, "staged.br"), brotliCompressSync(bytes.slice(1)));
    await assert.rejects(unpackBinary(join(folder, "staged"), cache), /esbuild inside .* damaged/);
  });
  assert.equal(binaryPackage({ os: "linux", arch: "x86_64" }), "@esbuild/linux-x64");
  assert.equal(binaryPackage({ os: "darwin", arch: "aarch64" }), "@esbuild/darwin-arm64");
  assert.equal(binaryPackage({ os: "windows", arch: "x86_64" }), "@esbuild/win32-x64");
  assert.equal(binaryName("windows"), "esbuild.exe");
});
