import assert from "node:assert/strict";
import { decodeWords, fieldOf } from "./caught_mail.ts";

Deno.test("decodeWords() reads encoded words, and joins words that only spaces separate", () => {
  assert.equal(
    decodeWords("=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus?= =?UTF-8?B?IEvDtmxu?="),
    "Grüße aus Köln",
  );
  assert.equal(decodeWords("plain"), "plain");
  assert.equal(decodeWords("=?no-such?B?IEvDtmxu?="), "=?no-such?B?IEvDtmxu?=");
});

Deno.test("fieldOf() reads a folded header field, and ignores the body", () => {
  const source = "From: a@b\r\nSubject: one\r\n two\r\n\r\nTo: nobody\r\n";
  assert.equal(fieldOf(source, "subject"), "one two");
  assert.equal(fieldOf(source, "To"), "");
});
