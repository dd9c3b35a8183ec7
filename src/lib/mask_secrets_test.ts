import assert from "node:assert/strict";
import fc from "fast-check";
import { createSecretMasker, MASK } from "./mask_secrets.ts";

Deno.test("createSecretMasker() masks a secret in every form that programs print", () => {
  const { mask } = createSecretMasker(['pa"ss wörd']);
  assert.equal(mask('is pa"ss wörd.'), `is ${MASK}.`);
  assert.equal(mask(JSON.stringify({ a: 'pa"ss wörd' })), `{"a":"${MASK}"}`);
  assert.equal(mask("https://x/?p=pa%22ss%20w%C3%B6rd&b"), `https://x/?p=${MASK}&b`);
  assert.equal(mask(`Basic ${new TextEncoder().encode('pa"ss wörd').toBase64()}`), `Basic ${MASK}`);
});

Deno.test("createSecretMasker() masks the longer of two secrets that start the same", () => {
  const { mask } = createSecretMasker(["abcd", "abcdef"]);
  assert.equal(mask("abcdef abcd"), `${MASK} ${MASK}`);
});

Deno.test("createSecretMasker() masks the long lines of a multi-line secret", () => {
  const { mask } = createSecretMasker(["-----BEGIN KEY-----\nMIIEvgIBADANBg\nab\n"]);
  assert.equal(mask("> MIIEvgIBADANBg <\n> ab <"), `> ${MASK} <\n> ab <`);
});

Deno.test("createSecretMasker() ignores short values", () => {
  assert.equal(createSecretMasker(["abc", ""]).mask("abc"), "abc");
});

Deno.test("chunks() masks secrets regardless of where the text is split, and loses nothing", () => {
  const secrets = ["secret", "crete", "aaaa", "aab+"];
  const { mask, chunks } = createSecretMasker(secrets);
  const piece = fc.oneof(
    fc.constantFrom(...secrets, "sec", "ret", "aaa", "a", "aab"),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.infiniteStream(fc.nat(5)),
      (pieces, cuts) => {
        const text = pieces.join("");
        const masker = chunks();
        let shown = "";
        for (let at = 0; at < text.length;) {
          const length = 1 + (cuts.next().value ?? 0);
          shown += masker.push(text.slice(at, at + length));
          at += length;
        }
        shown += masker.end();
        for (const secret of secrets) assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
        if (mask(text) === text) assert.equal(shown, text);
      },
    ),
  );
});
