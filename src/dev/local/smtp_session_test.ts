import assert from "node:assert/strict";
import { type SentMail, SmtpSession } from "./smtp_session.ts";

function converse(lines: readonly string[]) {
  const mails: SentMail[] = [];
  const session = new SmtpSession((mail) => mails.push(mail));
  const codes = lines.map((line) => session.line(line)?.text.slice(0, 3));
  return { codes, mails };
}

Deno.test("SmtpSession catches a mail, and takes the dots off that protect its lines", () => {
  const { codes, mails } = converse([
    "EHLO here",
    "MAIL FROM:<a@b> SIZE=10",
    "RCPT TO:<c@d>",
    "rcpt to:<e@f>",
    "DATA",
    "Subject: x",
    "",
    "..dot",
    ".",
    "QUIT",
  ]);
  assert.deepEqual(codes, [
    "250",
    "250",
    "250",
    "250",
    "354",
    undefined,
    undefined,
    undefined,
    "250",
    "221",
  ]);
  assert.deepEqual(mails, [
    { from: "a@b", to: ["c@d", "e@f"], source: "Subject: x\r\n\r\n.dot\r\n" },
  ]);
});

Deno.test("SmtpSession lets anybody sign in, in each of the usual ways", () => {
  assert.deepEqual(converse(["AUTH PLAIN AGEAYg=="]).codes, ["235"]);
  assert.deepEqual(converse(["AUTH PLAIN", "AGEAYg=="]).codes, ["334", "235"]);
  assert.deepEqual(converse(["AUTH LOGIN", "YQ==", "Yg=="]).codes, ["334", "334", "235"]);
  assert.deepEqual(converse(["AUTH LOGIN YQ==", "Yg=="]).codes, ["334", "235"]);
});

Deno.test("SmtpSession says what is missing or not known", () => {
  const lines = [
    "DATA",
    "RCPT TO:<c@d>",
    "MAIL FROM:<>",
    "RCPT TO:nobody",
    "STARTTLS",
    "x".repeat(3000),
  ];
  assert.deepEqual(converse(lines).codes, ["503", "503", "250", "501", "502", "500"]);
});
