import assert from "node:assert/strict";
import { claimOwner, raise } from "../../helpers/notifications.ts";
import { withPlatform } from "../../helpers/platform.ts";
import { serveSmtp } from "../../helpers/smtp_server.ts";
import { until } from "../../../src/lib/_test_until.ts";

Deno.test("an urgent event is emailed immediately as text and HTML, with its own Message-ID", async () => {
  await using smtp = await serveSmtp();
  await withPlatform(async (platform) => {
    await claimOwner(platform);
    await raise(platform, "deployment.failed", {
      project: 'shop "<b>&\r\nBcc: eve@example.com',
      error: "exit code 1",
      url: "https://shop.example/",
    });
    await smtp.until(1);
    const mail = smtp.mails[0]!;
    assert.equal(mail.to, "olga@example.com");
    assert.equal(mail.from, "ops@example.org");
    assert.equal(mail.headers.get("from"), "Ops <ops@example.org>");
    assert.match(mail.headers.get("message-id")!, /^<[0-9a-f]{64}@example\.org>$/);
    assert.match(mail.headers.get("date")!, /^\w{3}, \d\d \w{3} \d{4}/);
    assert.equal(mail.headers.get("auto-submitted"), "auto-generated");
    assert.equal(mail.headers.get("importance"), "high");
    assert.equal(mail.headers.has("bcc"), false);
    assert.equal(mail.headers.has("list-unsubscribe"), false);
    assert.match(mail.headers.get("content-type")!, /^multipart\/alternative/);
    assert.match(mail.text, /Critical notifications ignore channels, priorities and quiet hours/);
    assert.match(mail.text, /<h1>shop &quot;&lt;b&gt;&amp; Bcc: eve/);
  }, { mail: { smtpUrl: smtp.url, from: "Ops <ops@example.org>" } });
});

Deno.test("a link in an email turns off emails in its category with one click, without signing in", async () => {
  await using smtp = await serveSmtp();
  await withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    await raise(platform, "health.check_failed", { reason: "no answer" });
    await smtp.until(1);
    const { headers } = smtp.mails[0]!;
    assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const { pathname } = new URL(headers.get("list-unsubscribe")!.slice(1, -1));
    const base = `http://127.0.0.1:${platform.port}`;
    const preferences = async () => {
      const { json } = await owner.send("GET", "/v1/notifications/preferences");
      const categories = json.categories as { category: string; channels: { email: boolean } }[];
      return Object.fromEntries(categories.map((each) => [each.category, each.channels.email]));
    };
    const page = await fetch(`${base}${pathname}`);
    assert.match(await page.text(), /Turn off health emails\?/);
    assert.equal((await preferences()).Health, true, "opening the link changes nothing");
    const forged = pathname.replace(".health.", ".billing.");
    const refused = await fetch(`${base}${forged}`, { method: "POST" });
    assert.equal(refused.status, 404);
    await refused.body?.cancel();
    const done = await fetch(`${base}${pathname}`, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
    assert.equal(done.status, 200);
    await done.body?.cancel();
    assert.deepEqual(await preferences(), {
      Deployment: true,
      Health: false,
      Billing: true,
      Security: true,
      System: true,
    });
    await raise(platform, "health.check_failed", { reason: "again" });
    await raise(platform, "billing.payment_failed", {});
    await smtp.until(2);
    assert.match(smtp.mails[1]!.headers.get("subject")!, /payment/i);
  }, { mail: { smtpUrl: smtp.url } });
});

for (const tls of ["never", "starttls", "implicit"] as const) {
  Deno.test(`email is sent to a server with credentials and TLS (${tls})`, async () => {
    await using smtp = await serveSmtp({ auth: { user: "svc", pass: "p@ss:w/rd" }, tls });
    const smtpUrl = smtp.url.replace("p@ss:w/rd", encodeURIComponent("p@ss:w/rd"));
    await withPlatform(async (platform) => {
      const owner = await claimOwner(platform);
      const { status, json } = await owner.send("POST", "/v1/notifications/test", {
        json: { channel: "email" },
      });
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(json.delivered, true, JSON.stringify(json));
      assert.equal(json.results[0].receiver, "olga@example.com");
      assert.equal(smtp.mails[0]!.user, "svc");
      assert.equal(smtp.mails[0]!.secure, tls !== "never");
    }, { mail: { smtpUrl } });
  });
}

Deno.test("a permanent refusal is stored with the server's message, and the email can be sent again", async () => {
  let isFull = true;
  await using smtp = await serveSmtp({
    refuse: () => isFull ? "552 5.2.2 Mailbox full" : undefined,
  });
  await withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    await raise(platform, "deployment.failed", { project: "shop" });
    await raise(platform, "deployment.build_failed", { project: "shop" });
    const list = async () => (await owner.send("GET", "/v1/notifications/dead-letters")).json.items;
    const letters = await until(list, (items) => items.length === 2);
    assert.match(
      letters[0].reason,
      /^The mail server refused the message: 552 5\.2\.2 Mailbox full/,
    );
    assert.equal(letters[0].attempts, 1);
    assert.equal(letters[1].event, "deployment.failed");
    const workspace = await platform.api("GET", "/v1/dead-letters");
    assert.deepEqual(workspace.json.items, letters);
    isFull = false;
    const path = `/v1/notifications/dead-letters/${letters[1].id}`;
    assert.deepEqual((await owner.send("POST", `${path}/resend`)).json, { resent: 1 });
    await smtp.until(1);
    assert.equal((await owner.send("POST", `${path}/resend`)).status, 404);
    const all = await owner.send("POST", "/v1/notifications/dead-letters/resend-all");
    assert.deepEqual(all.json, { resent: 1, hasMore: false });
    await smtp.until(2);
    assert.deepEqual(await list(), []);
  }, { mail: { smtpUrl: smtp.url } });
});

Deno.test("invalid credentials are reported without appearing in the log or the response", async () => {
  await using smtp = await serveSmtp({ auth: { user: "svc", pass: "right" } });
  await withPlatform(async (platform) => {
    const owner = await claimOwner(platform);
    const { json } = await owner.send("POST", "/v1/notifications/test", {
      json: { channel: "email" },
    });
    assert.equal(json.delivered, false);
    assert.equal(json.results[0].detail, "The mail server refused the platform's credentials");
    await raise(platform, "deployment.failed", {});
    const told = JSON.stringify([json, platform.logged]);
    assert.ok(!told.includes("s3cr3t-passw0rd"), told);
  }, { mail: { smtpUrl: smtp.url.replace("right", "s3cr3t-passw0rd") } });
});
