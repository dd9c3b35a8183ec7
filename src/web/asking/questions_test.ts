import assert from "node:assert/strict";
import { refusalOf } from "../layout/question.tsx";
import { QUESTIONS } from "./questions.ts";

Deno.test("refusalOf() lets an act run for its own answer only", () => {
  const question = { title: "Replace production?", lines: [], word: "Promote", seen: "a b" };
  const named = QUESTIONS.project("shop");
  const status = (asked: Parameters<typeof refusalOf>[0], fields: Record<string, string>) =>
    refusalOf(asked, fields)?.status;
  assert.equal(status(question, { seen: "a b" }), 200);
  assert.equal(status(question, { confirmed: "yes" }), 409);
  assert.equal(status(question, { confirmed: "yes", seen: "a c" }), 409);
  assert.equal(status(question, { confirmed: "yes", seen: "a b" }), undefined);
  assert.equal(status(named, { confirmed: "yes" }), 400);
  assert.equal(status(named, { confirmed: "yes", typed: "Shop" }), 400);
  assert.equal(status(named, { confirmed: "yes", typed: " shop " }), undefined);
});

Deno.test("QUESTIONS name what they are about", () => {
  for (const [act, ask] of Object.entries(QUESTIONS)) {
    const { title, lines, word } = ask("harbour");
    assert.match(title, /^[A-Z].*\bharbour\b.*\?$/, act);
    assert.ok(lines.length > 0 && lines.every((line) => line.endsWith(".")), act);
    assert.match(word, /^[A-Z]/, act);
  }
});
