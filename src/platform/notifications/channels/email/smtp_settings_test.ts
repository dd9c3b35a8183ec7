import assert from "node:assert/strict";
import { MailSettingsError, parseSender, parseSmtpUrl } from "./smtp_settings.ts";

const plain = { host: "mail.example", secure: false, verify: true, auth: undefined } as const;
const auth = { user: "svc", pass: "p@ss" };

const urls = [
  ["smtp://mail.example", { ...plain, port: 25, startTls: "offered" }],
  ["smtps://mail.example", { ...plain, port: 465, secure: true, startTls: "offered" }],
  ["smtp://svc:p%40ss@mail.example", { ...plain, port: 587, startTls: "required", auth }],
  ["smtp://svc:p%40ss@mail.example?tls=none", { ...plain, port: 587, startTls: "never", auth }],
  ["smtp://mail.example:2525?tls=required", { ...plain, port: 2525, startTls: "required" }],
  ["smtp://mail.example?tls=insecure", { ...plain, port: 25, startTls: "offered", verify: false }],
  ["smtp://svc:p%40ss@127.0.0.1:1025", {
    ...plain,
    host: "127.0.0.1",
    port: 1025,
    startTls: "offered",
    auth,
  }],
] as const;

for (const [url, settings] of urls) {
  Deno.test(`parseSmtpUrl() reads ${url}`, () => assert.deepEqual(parseSmtpUrl(url), settings));
}

for (
  const url of ["mail.example", "http://svc:s3cret@x", "smtp://", "smtp://svc:s3cret@x?tls=maybe"]
) {
  Deno.test(`parseSmtpUrl() refuses ${url}, and does not repeat the password`, () => {
    assert.throws(() => parseSmtpUrl(url), (error: Error) => {
      assert.ok(error instanceof MailSettingsError);
      assert.ok(!error.message.includes("s3cret"));
      return true;
    });
  });
}

const senders = [
  ["svc@example.com", { name: "svc", address: "svc@example.com" }],
  ["Acme Ops <ops@example.com>", { name: "Acme Ops", address: "ops@example.com" }],
  ['"Ops, Acme" <ops@example.com>', { name: "Ops, Acme", address: "ops@example.com" }],
] as const;

for (const [text, sender] of senders) {
  Deno.test(`parseSender() reads ${text}`, () => assert.deepEqual(parseSender(text), sender));
}

for (const text of ["", "ops", "a@b@c", "Ops <ops>", "x\r\nBcc: eve@example.com <a@b.example>"]) {
  Deno.test(`parseSender() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseSender(text), MailSettingsError);
  });
}
