import assert from "node:assert/strict";
import { refusalOf } from "../layout/question.tsx";
import { publishQuestion, QUESTIONS } from "./questions.ts";

Deno.test("refusalOf() refuses an action that was not confirmed", () => {
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

Deno.test("every question names its subject in the title", () => {
  for (const [act, ask] of Object.entries(QUESTIONS)) {
    const { title, lines, word } = ask("harbour");
    assert.match(title, /^[A-Z].*\bharbour\b.*\?$/, act);
    assert.ok(lines.length > 0 && lines.every((line) => line.endsWith(".")), act);
    assert.match(word, /^[A-Z]/, act);
  }
});

Deno.test("publishQuestion() counts the rules that differ", () => {
  const set = (...rules: { id: string; action: string }[]) => ({ rules });
  const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, action: "deny" })) as [
    { id: string; action: string },
    { id: string; action: string },
    { id: string; action: string },
  ];
  const factsOf = (from: ReturnType<typeof set> | null, to: ReturnType<typeof set>) =>
    publishQuestion("harbour", { from, to }).facts;
  assert.deepEqual(factsOf(null, set(a)), [["Added", "1 rule"]]);
  assert.deepEqual(factsOf(set(a, b), set({ ...a, action: "allow" }, c)), [
    ["Added", "1 rule"],
    ["Changed", "1 rule"],
    ["Removed", "1 rule"],
  ]);
  const same = publishQuestion("harbour", { from: set(a), to: set(a) });
  assert.deepEqual(same.facts, []);
  assert.match(same.lines[0]!, /No rules were added, changed or removed/);
});
