import assert from "node:assert/strict";
import { content } from "../../delivery/_test_delivery.ts";
import { composeMail } from "./compose_mail.ts";

const unsubscribeUrl = "https://svc.example/unsubscribe/token";
const facts = { host: "svc.example", unsubscribeUrl, total: 1 };

Deno.test("composeMail() says the same in text and HTML", () => {
  const { subject, text, html, headers } = composeMail([content()], facts);
  assert.equal(subject, "shop is live");
  assert.equal(
    text,
    "Version 7 of shop answers in production\n\nhttps://svc.example/projects/shop\n\n-- \n" +
      "You get this because you have an account on svc.example.\n" +
      `Turn off these mails: ${unsubscribeUrl}\n`,
  );
  assert.match(html, /<h1>shop is live<\/h1><p>Version 7 of shop answers in production<\/p>/);
  assert.match(html, /<a class="button" href="https:\/\/svc\.example\/projects\/shop">Open<\/a>/);
  assert.match(html, /prefers-color-scheme:dark/);
  assert.deepEqual(headers, {
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
});

Deno.test("composeMail() lets no text break out of header or markup", () => {
  const evil = '</title><script>alert("1")</script>\r\nBcc: eve@example.com\u2028X: y';
  const { subject, html } = composeMail([
    content({ title: evil, body: evil, actionUrl: "javascript:alert(1)" }),
  ], facts);
  assert.doesNotMatch(subject, /[\r\n\u2028]/);
  assert.doesNotMatch(html, /<script|javascript:/);
});

Deno.test("composeMail() says of a critical mail that it cannot be turned off", () => {
  const critical = content({ priority: "CRITICAL" });
  const { text, headers } = composeMail([critical], { ...facts, unsubscribeUrl: null });
  assert.match(text, /you can't turn it off/);
  assert.deepEqual(headers, { "X-Priority": "1", Importance: "high" });
});

Deno.test("composeMail() makes a digest with a count of what it does not show", () => {
  const contents = [content({ title: "one" }), content({ title: "two", actionUrl: null })];
  const { subject, text, html } = composeMail(contents, { ...facts, total: 12 });
  assert.equal(subject, "12 deployment notifications");
  assert.match(text, /^\* one\n[^]*\n\n\* two\n[^]*\n\nAnd 10 more\.\n\n-- \n/);
  assert.match(html, /<h2><a href="[^"]+">one<\/a><\/h2>[^]*<h2>two<\/h2>[^]*And 10 more\./);
});
