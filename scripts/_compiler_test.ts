import assert from "node:assert/strict";
import { chooseCompiler, runtimeVersion, v8Flags } from "./_compiler.ts";

const OWN = { version: "2.9.6", path: "/bin/deno" };

const CHOICES = [
  { name: "itself without another runtime", facts: { own: OWN }, expected: ["/bin/deno"] },
  {
    name: "itself for a runtime of its own version",
    facts: { own: OWN, runtime: "2.9.6" },
    expected: ["/bin/deno"],
  },
  {
    name: "the version of the runtime",
    facts: { own: OWN, runtime: "2.8.0" },
    expected: ["npx", "-y", "deno@2.8.0"],
  },
  {
    name: "the compiler known to fit a runtime that npm does not have",
    facts: { own: OWN, runtime: "2.6.10" },
    expected: ["npx", "-y", "deno@2.7.14"],
  },
  {
    name: "the version asked for",
    facts: { own: OWN, runtime: "2.6.10", asked: "2.7.0" },
    expected: ["npx", "-y", "deno@2.7.0"],
  },
];

for (const { name, facts, expected } of CHOICES) {
  Deno.test(`chooseCompiler() takes ${name}`, () => {
    assert.deepEqual(chooseCompiler(facts), expected);
  });
}

Deno.test("runtimeVersion() reads the user agent, not what only looks like it", () => {
  const bytes = new TextEncoder().encode("\0Deno/x Deno/ DDeno/2.6.10+8871ade\0");
  assert.equal(runtimeVersion(bytes), "2.6.10");
});

Deno.test("runtimeVersion() does not guess", () => {
  assert.equal(runtimeVersion(new TextEncoder().encode("Deno/")), undefined);
});

Deno.test("v8Flags() gives a flag to the one version that knows it", () => {
  assert.deepEqual(v8Flags("2.6.10"), ["--external-memory-accounted-in-global-limit"]);
  assert.deepEqual(v8Flags("2.9.6"), []);
});
