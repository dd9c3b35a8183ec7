import assert from "node:assert/strict";
import type { NodeNeed, ServerBundleResult } from "../../runtime/mod.ts";
import { type EngineWishes, judgeBundle, wishedEngine } from "./decide_engine.ts";

const NOTHING: EngineWishes = {
  configured: undefined,
  written: undefined,
  framework: undefined,
  forDeno: false,
};

const WISHES: Readonly<Record<string, readonly [Partial<EngineWishes>, string | undefined]>> = {
  "nothing": [{}, undefined],
  "svc.toml over all others": [
    { configured: "deno", written: "node", framework: "Next.js needs it" },
    "deno: svc.toml sets build.runtime",
  ],
  "the manifest over the framework": [
    { written: "deno", framework: "Next.js needs it" },
    "deno: its manifest says so",
  ],
  "what it is written for": [{ forDeno: true }, "deno: it is written for Deno"],
  "the framework": [{ framework: "Next.js needs it" }, "node: Next.js needs it"],
};

for (const [name, [wishes, expected]] of Object.entries(WISHES)) {
  Deno.test(`wishedEngine() follows ${name}`, () => {
    const choice = wishedEngine({ ...NOTHING, ...wishes });
    assert.equal(choice && `${choice.engine}: ${choice.reason}`, expected);
  });
}

function bundled(native: readonly string[], needs: readonly NodeNeed[]): ServerBundleResult {
  const source = new Uint8Array();
  return {
    ok: true,
    bundle: { source, inputs: new Set(), assets: [], native, needs, missing: [] },
  };
}

function failed(...problems: readonly (readonly [code: string, file: string, subject?: string])[]) {
  return {
    ok: false as const,
    problems: problems.map(([code, file, subject]) => ({
      ...{ severity: "error" as const, path: "", message: `Problem of ${file}`, code, file },
      ...(subject === undefined ? {} : { subject }),
    })),
  };
}

const JUDGED: Readonly<Record<string, readonly [ServerBundleResult, string]>> = {
  "a whole bundle": [bundled([], []), "deno: it is bundled into one module"],
  "a native addon": [bundled(["sharp"], []), 'node: "sharp" has a native addon'],
  "a native addon that is expected": [
    bundled(["usual"], []),
    "deno: it is bundled into one module",
  ],
  "several native addons": [
    bundled(["a", "b", "c", "d"], [{ kind: "computed", subject: "e" }]),
    'node: "a", "b", "c" and 1 more have native addons',
  ],
  "computed names": [
    bundled([], [{ kind: "worker", subject: "pool" }, {
      kind: "computed",
      subject: "server/a.mjs",
    }]),
    "node: server/a.mjs loads modules by computed names",
  ],
  "threads": [
    bundled([], [{ kind: "worker", subject: "pool" }]),
    'node: "pool" starts threads from files',
  ],
  "a native addon at the start": [
    failed(["native_addon", "index.js", "sharp"]),
    'node: "sharp" has a native addon',
  ],
  "a bundle that fails": [
    failed(["bundle_failed", "node_modules/x/a.html"]),
    "node: it cannot be bundled (Problem of node_modules/x/a.html)",
  ],
  "a package that lacks one of its own": [
    failed(["import_missing", "node_modules/x/a.js"]),
    "node: it cannot be bundled (Problem of node_modules/x/a.js)",
  ],
  "an import that leads nowhere": [
    failed(["bundle_failed", "a.js"], ["import_missing", "server/a.js"]),
    "deno: it is bundled into one module",
  ],
  "an address": [failed(["import_refused", "a.js"]), "deno: it is bundled into one module"],
};

for (const [name, [result, expected]] of Object.entries(JUDGED)) {
  Deno.test(`judgeBundle() decides for ${name}`, () => {
    const { engine, reason } = judgeBundle(result, (native) => native === "usual");
    assert.equal(`${engine}: ${reason}`, expected);
  });
}
