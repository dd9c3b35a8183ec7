import assert from "node:assert/strict";
import fc from "fast-check";
import { content } from "../../delivery/_test_delivery.ts";
import { notificationMessage } from "./message.ts";

const buttonsOf = (actionUrl: string | null) =>
  notificationMessage(content({ actionUrl })).reply_markup?.inline_keyboard ?? [];

Deno.test("notificationMessage() returns title, body, kind and a button", () => {
  const message = notificationMessage(content({ title: "a <b> & c" }));
  assert.equal(
    message.text,
    "<b>a &lt;b&gt; &amp; c</b>\n\nVersion 7 of shop answers in production\n\n" +
      "<i>Deployment · high</i>",
  );
  assert.equal(message.disable_notification, false);
  assert.deepEqual(buttonsOf("https://svc.example/x"), [[
    { text: "Open", url: "https://svc.example/x" },
  ]]);
});

for (
  const url of [
    "http://localhost:8787/x",
    "http://127.0.0.1/x",
    "http://shop.localhost/x",
    "http://[::1]/x",
  ]
) {
  Deno.test(`notificationMessage() spells out ${url}, which the messenger does not accept for a button`, () => {
    assert.deepEqual(buttonsOf(url), []);
    assert.ok(notificationMessage(content({ actionUrl: url })).text.includes(url));
  });
}

Deno.test("notificationMessage() does not offer a URL with another scheme", () => {
  const { text } = notificationMessage(content({ actionUrl: "javascript:alert(1)" }));
  assert.doesNotMatch(text, /javascript/);
});

Deno.test("notificationMessage() returns safe markup of limited length for any text", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 6000, unit: "binary" }),
      fc.string({ maxLength: 6000, unit: "grapheme" }),
      (title, body) => {
        const { text } = notificationMessage(content({ title, body, actionUrl: null }));
        const inner = text.replace(/^<b>|<\/b>|<i>[^<]*<\/i>$/g, "");
        assert.doesNotMatch(inner, /[<>]|&(?!lt;|gt;|amp;)/);
        const parsed = inner.replace(/&(lt|gt|amp);/g, "x");
        assert.ok(parsed.length <= 4000, `${parsed.length}`);
      },
    ),
    { numRuns: 20 },
  );
});
