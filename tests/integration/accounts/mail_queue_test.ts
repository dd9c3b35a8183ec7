/** Account emails wait for the mail server, even across restarts of the platform. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { Visitor } from "../../helpers/page_visitor.ts";
import { rekey, start, withPlatform } from "../../helpers/platform.ts";
import { serveSmtp } from "../../helpers/smtp_server.ts";

/** Longer than a client that ignores RFC 5321, 4.5.3.2.6 would wait. */
const LATE_MS = 32_000;

Deno.test("a sign-up email survives server refusals, a restart and a new key", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  let isDown = true;
  await using smtp = await serveSmtp({ refuse: () => isDown ? "451 Try later" : undefined });
  const options = { mail: { smtpUrl: smtp.url } };
  try {
    const before = await start(dataDir, options);
    assert.equal((await new Visitor(before).signUp("ada")).status, 200);
    const ready = async () => await (await fetch(new URL("/readyz", before.url))).text();
    await until(async () => /But emails were not delivered.*451 Try later/.test(await ready()));
    await before.shutdown();
    for (const secret of ["ada@example.com.*Confirm", "account/confirm/"]) {
      const args = ["-rqa", "-e", secret, `${dataDir}/kv.sqlite3`];
      assert.equal((await new Deno.Command("grep", { args }).output()).code, 1, secret);
    }
    await rekey(dataDir);
    isDown = false;
    const after = await start(dataDir, options);
    await smtp.until(1);
    const [mail] = smtp.mails;
    assert.equal(mail!.to, "ada@example.com");
    const path = new URL(/^https?:\S+$/m.exec(mail!.text)![0]).pathname;
    const visitor = new Visitor(after);
    assert.equal((await visitor.submit(await visitor.open(path), path)).status, 200);
    await after.shutdown();
    assert.equal(smtp.mails.length, 1);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("an undeliverable email is a dead letter until it is sent", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  let isRefused = true;
  await using smtp = await serveSmtp({
    refuse: () => isRefused ? "550 Sending address is not allowed" : undefined,
  });
  const options = { mail: { smtpUrl: smtp.url } };
  const told =
    /^But 1 email to accounts could not be sent, the last at \S+Z\. Owners of the first /m;
  const ready = async (url: string) => await (await fetch(new URL("/readyz", url))).text();
  try {
    const before = await start(dataDir, options);
    await new Visitor(before).signUp("ada");
    const text = await until(() => ready(before.url), (shown) => told.test(shown));
    assert.doesNotMatch(
      text,
      /ada|confirm\//i,
      "the dead letter reveals neither the recipient nor the link",
    );
    await before.shutdown();
    const after = await start(dataDir, options);
    assert.match(await ready(after.url), told);
    const { json } = await after.api("GET", "/v1/dead-letters");
    const [letter, ...more] = json.items;
    assert.deepEqual(more, []);
    const { title, reason, userId } = letter;
    assert.deepEqual([title, userId], ["Account email", null]);
    assert.match(reason, /550 Sending address is not allowed/);
    assert.doesNotMatch(JSON.stringify(json), /ada@|confirm\//);
    isRefused = false;
    const resent = await after.api("POST", `/v1/dead-letters/${letter.id}/resend`);
    assert.deepEqual([resent.status, resent.json], [200, { resent: 1 }]);
    await smtp.until(1);
    assert.equal(smtp.mails[0]!.to, "ada@example.com");
    await until(() => ready(after.url), (shown) => shown === "ready\n");
    assert.deepEqual((await after.api("GET", "/v1/dead-letters")).json.items, []);
    await after.shutdown();
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("a slow mail server gets each email only once", async () => {
  await using smtp = await serveSmtp({ answerAfterMs: LATE_MS });
  await withPlatform(async (platform) => {
    await new Visitor(platform).signUp("ada");
    await smtp.until(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, LATE_MS + 3000);
    await promise;
    assert.equal(smtp.mails.length, 1);
    assert.deepEqual(platform.logged.filter((line) => /mail/i.test(line)), []);
  }, { mail: { smtpUrl: smtp.url } });
});
