import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRuleSet } from "../../tests/rules/generate.ts";
import { measureWork } from "../lib/_test_processor_time.ts";
import { hasErrors } from "../lib/diagnostic.ts";
import { MAX_RULES_BYTES } from "./limits.ts";
import { loadRulesToml, loadRulesValue } from "./document/parse_rules.ts";
import { SCHEMA_VERSION } from "./rule_set/types.ts";
import { writeRulesToml } from "./document/write_rules.ts";

/** Number of random runs; set `FUZZ_RUNS` for a long run. */
const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 60);

/** Maximum CPU time for a small text, in milliseconds. The usual time is about 2 ms. */
const SLOW_MS = 2_000;

/** Maximum CPU time for a text of the maximum size, in milliseconds. */
const SLOW_FULL_MS = 20_000;

const CASES = new URL("../../fixtures/rules/", import.meta.url);
const sources = [...Deno.readDirSync(CASES)].filter((entry) => entry.name.endsWith(".txt"))
  .map((entry) =>
    Deno.readTextFileSync(new URL(entry.name, CASES)).split("\n----------\n")[0] ?? ""
  );

function load(source: string, limit = SLOW_MS): void {
  const { result, milliseconds } = measureWork(() => loadRulesToml(source));
  const { ruleSet, runtime, diagnostics } = result;
  assert.equal(runtime === undefined, hasErrors(diagnostics));
  assert.equal(ruleSet === undefined, hasErrors(diagnostics));
  assert.ok(
    milliseconds < limit,
    `${milliseconds} ms for ${JSON.stringify(source.slice(0, 2_000))}`,
  );
}

Deno.test("loadRulesToml() handles any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      load(new TextDecoder().decode(bytes));
    }),
    { numRuns: RUNS },
  );
});

Deno.test("loadRulesToml() handles any mutation of a valid file", () => {
  const snippet = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom('"', "'", '"""', "[[rules]]", "[", "]", "{", "}", "\\", "\n", "=", "{{a}}"),
    fc.constantFrom("{x...}", "**", "//", "\u0000", "xn--", "::ffff:", "-1", "1e999", "nan"),
    fc.constantFrom("1979-05-27", "__proto__", "constructor = 1\n", "any = []\n", "\ud800"),
  );
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(12), put: snippet });
  const seed = fc.oneof(fc.constantFrom(...sources), anyRuleSet.map(writeRulesToml));
  fc.assert(
    fc.property(seed, fc.array(edit, { minLength: 1, maxLength: 6 }), (source, edits) => {
      const mutated = edits.reduce((text, { at, cut, put }) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + cut);
      }, source);
      load(mutated);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("loadRulesValue() handles any JSON value in any field", () => {
  fc.assert(
    fc.property(fc.anything(), fc.jsonValue(), fc.jsonValue(), (set, condition, action) => {
      loadRulesValue(set);
      const rules = [{ id: "a", condition, action }, { id: "b", action: { type: "log" } }];
      const { runtime, diagnostics } = loadRulesValue({ schemaVersion: SCHEMA_VERSION, rules });
      assert.equal(runtime === undefined, hasErrors(diagnostics));
    }),
    { numRuns: RUNS },
  );
});

const HEAD = `schemaVersion = "${SCHEMA_VERSION}"\n`;
const COUNT = RUNS > 1_000 ? 10_000 : 300;

/** Repeats a rule as many times as the size limit allows. */
const repeat = (rule: (index: number) => string): string =>
  HEAD +
  Array.from({ length: COUNT }, (_, index) => `[[rules]]\nid = "r${index}"\n${rule(index)}\n`)
    .join("").slice(0, MAX_RULES_BYTES - 1_000).replace(
      /\[\[rules\]\](?![\s\S]*\[\[rules\]\])[\s\S]*$/,
      "",
    );

const GATE = `{use="g",mode="request",failure="closed"},`;

const HOSTILE: readonly (readonly [name: string, source: string])[] = [
  [
    "one path, many headers",
    repeat((i) => `condition.headers = {x="${i}"}\naction = {type="redirect",target="/"}`),
  ],
  [
    "nested prefixes",
    repeat((i) =>
      `condition.path={type="prefix",value="/${
        "a".repeat(i % 500)
      }"}\naction={type="redirect",target="/b"}`
    ),
  ],
  [
    "globs of stars",
    repeat((i) =>
      `condition.path={type="glob",value="/*a*b*c*${i}*"}\naction={type="redirect",target="/xaxbxcx${i}"}`
    ),
  ],
  [
    "a long chain of redirects",
    repeat((i) =>
      `condition.path={type="exact",value="/p${i}"}\naction={type="redirect",target="/p${i + 1}"}`
    ),
  ],
  [
    "gates side by side",
    repeat((i) =>
      `condition.asn=[${i + 1}]\naction={type="pipeline",steps=[${
        i % 2 ? GATE : ""
      }{handle="origin"}]}`
    ),
  ],
  [
    "overriding gates",
    repeat((i) =>
      `condition.path={type="prefix",value="/p${i}/"}\naction={type="pipeline",override=${
        i % 2 === 0
      },steps=[${i % 2 ? GATE : ""}{handle="origin"}]}`
    ),
  ],
  ["the same id", repeat(() => `id2 = 1\naction = {type="log"}`).replaceAll(/"r\d+"/g, '"r"')],
  [
    "one long list",
    `${HEAD}[[rules]]\nid="a"\ncondition.asn=[${"1,".repeat(COUNT * 10)}]\naction={type="log"}`,
  ],
  [
    "one long template",
    `${HEAD}[[rules]]\nid="a"\naction={type="redirect",target="/${"{a}{{".repeat(COUNT * 10)}"}`,
  ],
  [
    "one long host",
    `${HEAD}[[rules]]\nid="a"\ncondition.host="${"ü.".repeat(COUNT * 10)}"\naction={type="log"}`,
  ],
  [
    "one long glob",
    `${HEAD}[[rules]]\nid="a"\ncondition.path={type="glob",value="/${
      "{".repeat(COUNT * 10)
    }"}\naction={type="log"}`,
  ],
];

for (const [name, source] of HOSTILE) {
  Deno.test(`loadRulesToml() is quick with ${name}`, () => load(source, SLOW_FULL_MS));
}
