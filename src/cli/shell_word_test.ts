import assert from "node:assert/strict";
import fc from "fast-check";
import { shellWord } from "./shell_word.ts";

Deno.test("shellWord() leaves plain words alone and quotes others", () => {
  assert.equal(shellWord("www.example.com"), "www.example.com");
  assert.equal(shellWord("*.example.com"), "'*.example.com'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord(""), "''");
});

Deno.test("shellWord() is one word for the shell, whatever it is made of", async () => {
  const visible = fc.stringMatching(/^[ -~]{0,20}$/);
  const words = fc.sample(visible, { numRuns: 200, seed: 1 });
  const script = words.map((word) => `printf '%s\\n' ${shellWord(word)}`).join("\n");
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  assert.equal(new TextDecoder().decode(stdout), words.map((word) => `${word}\n`).join(""));
});
