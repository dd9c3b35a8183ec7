import assert from "node:assert/strict";
import { judgeSmtpError } from "./smtp_outcome.ts";

const rows = [
  ["no connection", { code: "ESOCKET" }, "retry", true],
  ["a silent server", { code: "ETIMEDOUT" }, "retry", true],
  ["wrong credentials", { code: "EAUTH", responseCode: 535, command: "AUTH PLAIN" }, "retry", true],
  [
    "a greeting that refuses the connection",
    { code: "EPROTOCOL", responseCode: 554, command: "CONN" },
    "retry",
    true,
  ],
  ["a server that shuts down", { responseCode: 421, command: "RCPT TO" }, "retry", true],
  [
    "a greylisted receiver",
    { code: "EENVELOPE", responseCode: 451, command: "RCPT TO" },
    "retry",
    false,
  ],
  [
    "an unknown mailbox",
    { code: "EENVELOPE", responseCode: 550, command: "RCPT TO" },
    "failed",
    false,
  ],
  ["a refused message", { code: "EMESSAGE", responseCode: 554, command: "DATA" }, "failed", false],
  ["an invalid address", { code: "EENVELOPE" }, "failed", false],
  ["a thrown text", "broken", "retry", true],
] as const;

for (const [name, error, type, hostTrouble] of rows) {
  Deno.test(`judgeSmtpError() returns ${type} after ${name}`, () => {
    const outcome = judgeSmtpError(error);
    assert.equal(outcome.type, type);
    if (outcome.type === "retry") assert.equal(outcome.hostTrouble, hostTrouble);
  });
}

Deno.test("judgeSmtpError() passes on the server's words in one short line", () => {
  const response = `550 no\r\n\x1b[31msuch user ${"x".repeat(500)}`;
  const outcome = judgeSmtpError({ responseCode: 550, command: "RCPT TO", response });
  assert.ok(outcome.type === "failed");
  assert.match(outcome.reason, /^The mail server refused the message: 550 no \[31msuch user x+$/);
  assert.ok(outcome.reason.length < 250);
});
