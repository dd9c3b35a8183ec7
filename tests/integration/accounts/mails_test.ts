import assert from "node:assert/strict";
import { withMailbox } from "../../helpers/mailbox.ts";
import { PASSWORD, Visitor } from "../../helpers/page_visitor.ts";
import { withPlatform } from "../../helpers/platform.ts";

const link = (text: string): string => new URL(/^https?:\S+$/m.exec(text)![0]).pathname;

Deno.test("signing up by email does not reveal whether an address has an account", () =>
  withMailbox((mailbox) =>
    withPlatform(async (platform) => {
      const ada = new Visitor(platform);
      const asked = await ada.signUp("ada", "/account/activity");
      assert.equal(asked.status, 200);
      assert.match(asked.html, /<h1>Check your email<\/h1>[^]*We sent a link to ada@example\.com/);
      assert.equal(ada.cookie, "");
      const mail = await mailbox.next();
      assert.deepEqual(mail.to, ["ada@example.com"]);
      assert.match(mail.subject, /^Confirm your account on localhost/);
      const inside = await ada.submit(await ada.open(link(mail.text)), link(mail.text));
      assert.equal(inside.path, "/account/activity");
      assert.equal((await ada.open(link(mail.text))).status, 200);
      const used = await new Visitor(platform).submit(
        await ada.open(link(mail.text)),
        link(mail.text),
      );
      assert.match(used.html, /This link no longer works/);

      const again = await new Visitor(platform).signUp("ada", "/account/activity");
      assert.equal(again.html, asked.html);
      assert.match((await mailbox.next()).text, /You already have an account, so no new one/);
    }, { mail: { smtpUrl: mailbox.url } })
  ));

Deno.test("a forgotten password can be reset with a link in an email", () =>
  withMailbox((mailbox) =>
    withPlatform(async (platform) => {
      const ada = new Visitor(platform);
      await ada.signUp("ada");
      const confirm = link((await mailbox.next()).text);
      await ada.submit(await ada.open(confirm), confirm);
      const guest = new Visitor(platform);
      assert.match((await guest.open("/sign-in")).html, /href="\/forgot-password"/);
      const page = await guest.open("/forgot-password");
      const known = await guest.submit(page, "/forgot-password", { email: "ada@example.com" });
      const unknown = await guest.submit(page, "/forgot-password", { email: "eve@example.com" });
      assert.equal(known.html.replace("ada@", "eve@"), unknown.html);
      const reset = link((await mailbox.next()).text);
      const form = await guest.open(reset);
      assert.match(form.html, /This signs you out everywhere/);
      const short = await guest.submit(form, reset, { password: "short" });
      assert.equal(short.status, 400);
      const done = await guest.submit(short, reset, { password: "another good password" });
      assert.match(done.html, /Password set/);
      assert.equal((await ada.open("/account")).path, "/sign-in?next=%2Faccount");
      assert.equal((await guest.signIn("ada@example.com", PASSWORD)).status, 403);
      const back = await guest.signIn("ada@example.com", "another good password");
      assert.equal(back.path, "/workspaces");
      const told = await mailbox.next();
      assert.deepEqual(told.to, ["ada@example.com"]);
      assert.match(told.subject, /^localhost:\d+: Password changed from 127\.0\.0\.1$/);
      assert.ok(!platform.logged.join("\n").includes(reset.split("/").at(-1)!));
    }, { mail: { smtpUrl: mailbox.url } })
  ));
