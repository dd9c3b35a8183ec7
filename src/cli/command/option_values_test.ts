import assert from "node:assert/strict";
import {
  booleanValue,
  deploymentId,
  duration,
  parseSince,
  repeatedList,
  wholeNumber,
} from "./option_values.ts";

const NOW = Date.parse("2026-11-21T10:00:00.000Z");

const moments: [text: string, moment: string][] = [
  ["30s", "2026-11-21T09:59:30.000Z"],
  ["15m", "2026-11-21T09:45:00.000Z"],
  ["2h", "2026-11-21T08:00:00.000Z"],
  ["1d", "2026-11-20T10:00:00.000Z"],
  ["2026-11-01", "2026-11-01T00:00:00.000Z"],
  ["2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00.000Z"],
];

for (const [text, moment] of moments) {
  Deno.test(`parseSince() reads ${text}`, () => {
    assert.equal(parseSince(text, NOW), moment);
  });
}

Deno.test("parseSince() refuses everything that is not a time", () => {
  for (const text of ["", "h", "1w", "yesterday", "1", "-5m", "2026-13-99"]) {
    assert.throws(() => parseSince(text, NOW), /Expected a duration before now/, text);
  }
});

Deno.test("wholeNumber() enforces its bounds", () => {
  const parse = wholeNumber({ min: 1, max: 10 });
  assert.deepEqual([parse("1"), parse("10")], [1, 10]);
  for (const text of ["0", "11", "1.5", "1e1", "", " 1", "x"]) {
    assert.throws(() => parse(text), /from 1 to 10/, text);
  }
});

Deno.test("deploymentId() refuses invalid IDs before anything is sent", () => {
  const id = "01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11";
  assert.equal(deploymentId(id.toUpperCase()), id);
  for (const text of ["", "nope", `${id}0`]) {
    assert.throws(() => deploymentId(text), /svc deployments lists them/, text);
  }
});

Deno.test("repeatedList() accepts commas and repeated flags", () => {
  assert.deepEqual(repeatedList("a, b", undefined), ["a", "b"]);
  assert.deepEqual(repeatedList("c,", ["a"]), ["a", "c"]);
});

Deno.test("duration() reads a count and a unit, within its bounds", () => {
  const parse = duration({ min: 60, max: 864_000 });
  assert.deepEqual(["60s", "90m", "12h", "7d"].map(parse), [60, 5400, 43_200, 604_800]);
  for (const text of ["59s", "11d", "1w", "12", "-1h", "1.5h", ""]) {
    assert.throws(() => parse(text), /Expected a duration from 60 seconds to 10 days/, text);
  }
});

Deno.test("booleanValue() accepts only true and false", () => {
  assert.deepEqual([booleanValue("true"), booleanValue("false")], [true, false]);
  for (const text of ["1", "yes", "", "TRUE"]) assert.throws(() => booleanValue(text), /true or/);
});
