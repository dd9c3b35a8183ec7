/** Shows emails with markup in every field on the mail page of `svc dev` in Chromium. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { BROWSER_TEST, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { startServing } from "../helpers/dev_program.ts";
import { MARKUP } from "../helpers/hostile_fields.ts";

/** A server that responds with the mail server's address, which it gets in a variable. */
const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => response.end(process.env.SMTP_URL)).listen(process.env.PORT);
`;
const CONFIG = `[dev]\ncommand = "node server.mjs"\n`;

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

/**
 * Headers that email programs never write. The markup in each header contains the header's name.
 */
const RAW_SUBJECTS = [
  MARKUP,
  `=?utf-8?B?${base64(MARKUP)}?=`,
  `=?utf-8?Q?${MARKUP.replaceAll("=", "=3D").replaceAll(" ", "_")}?=`,
  `one\r\n ${MARKUP}`,
  `</summary></details></pre>${MARKUP}`,
];

Deno.test({
  name: "the dev server's mail page shows markup in every field as text",
  ...BROWSER_TEST,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "svc-dev-mail-" });
    await Deno.writeTextFile(join(folder, "server.mjs"), SERVER);
    await Deno.writeTextFile(join(folder, "svc.toml"), CONFIG);
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      const { hostname, port } = new URL(await (await fetch(dev.url)).text());
      const transport = createTransport({ host: hostname, port: Number(port), secure: false });
      // The mail server rejects addresses with angle brackets.
      const envelope = { from: "'&lt;svg/onload=alert(4)'@shop.test", to: ["ada@shop.test"] };
      for (const subject of RAW_SUBJECTS) {
        const head = [
          `From: ${MARKUP} <shop@shop.test>`,
          `To: ${MARKUP} <ada@shop.test>`,
          `Reply-To: ${MARKUP}`,
          `X-${"Markup"}: ${MARKUP}`,
          `Subject: ${subject}`,
          `Content-Type: text/html; name="${MARKUP}"`,
        ].join("\r\n");
        await transport.sendMail({
          envelope,
          raw: `${head}\r\n\r\n${MARKUP}\r\n</pre>${MARKUP}\r\n`,
        });
      }
      // An email as an email program would send it: encoded, folded, and with an attachment.
      await transport.sendMail({
        from: { name: MARKUP, address: "shop@shop.test" },
        to: "ada@shop.test",
        cc: { name: MARKUP, address: "cc@shop.test" },
        subject: `${MARKUP} ü`,
        html: MARKUP,
        attachments: [{ filename: MARKUP, content: MARKUP }],
      });
      transport.close();
      await withChromium(async (browser) => {
        const page = await browser.newPage();
        const complaints = hearComplaints(page);
        const dialogs: string[] = [];
        page.on("dialog", (dialog) => {
          dialogs.push(dialog.message());
          void dialog.dismiss();
        });
        await page.goto(`${dev.url}/__svc`);
        const mails = page.locator("details");
        assert.equal(await mails.count(), RAW_SUBJECTS.length + 1);
        for (const mail of await mails.all()) await mail.locator("summary").click();
        const summaries = await mails.locator("summary").allInnerTexts();
        for (const summary of summaries) assert.ok(summary.includes(MARKUP), summary);
        const sources = await mails.locator("pre").allInnerTexts();
        for (const source of sources.slice(1)) assert.ok(source.includes(MARKUP), source);
        const made = await page.locator("script, img, svg, iframe, object, [onload], [onerror]")
          .count();
        assert.deepEqual([made, dialogs, complaints], [0, [], []]);
      });
    } finally {
      await dev.end();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
