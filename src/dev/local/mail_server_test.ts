import assert from "node:assert/strict";
import { createTransport } from "nodemailer";
import { openMailServer, type SentMail } from "./mail_server.ts";

const MAIL = { from: "a@example.com", to: ["c@example.com", "e@example.com"] };

async function withServer(
  test: (port: number, mails: readonly SentMail[]) => Promise<void>,
): Promise<void> {
  const mails: SentMail[] = [];
  const server = await openMailServer((mail) => mails.push(mail));
  try {
    await test(server.port, mails);
  } finally {
    await server.close();
  }
}

for (const method of [undefined, "PLAIN", "LOGIN"]) {
  Deno.test(`openMailServer() catches an email sent with authentication ${method ?? "none"}`, () =>
    withServer(async (port, mails) => {
      const auth = method && { user: "hut", pass: "any", method };
      const transport = createTransport({ host: "127.0.0.1", port, auth: auth || undefined });
      await transport.sendMail({ ...MAIL, raw: "Subject: x\r\n\r\n.dot\r\nGrüße\r\n" });
      transport.close();
      assert.deepEqual(mails, [{ ...MAIL, source: "Subject: x\r\n\r\n.dot\r\nGrüße\r\n" }]);
    }));
}

Deno.test("openMailServer() refuses an email above its limit, and continues", () =>
  withServer(async (port, mails) => {
    const transport = createTransport({ host: "127.0.0.1", port });
    const line = `${"x".repeat(998)}\r\n`;
    await assert.rejects(
      transport.sendMail({ ...MAIL, raw: `Subject: x\r\n\r\n${line.repeat(27_000)}` }),
      /552|Send at most|size/i,
    );
    await transport.sendMail({ ...MAIL, raw: "Subject: x\r\n\r\nsmall\r\n" });
    transport.close();
    assert.equal(mails.length, 1);
  }));
