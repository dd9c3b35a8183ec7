/** Tests the notification pages as a browser without JavaScript uses them. */
import assert from "node:assert/strict";
import { formsOf, Visitor } from "../../helpers/page_visitor.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";

async function visitorWithInbox(platform: TestPlatform, events: readonly [string, string][]) {
  const ada = new Visitor(platform);
  await ada.signUp("ada");
  await ada.submit(await ada.open("/workspaces"), "/workspaces", { slug: "acme", name: "Acme" });
  for (const [event, project] of events) {
    const raised = await platform.api("POST", "/v1/events", {
      token: null,
      headers: { cookie: ada.cookie, "x-workspace": "acme", "sec-fetch-site": "same-origin" },
      json: { event, data: { project } },
    });
    assert.equal(raised.status, 200);
  }
  return ada;
}

Deno.test("the inbox can be read, archived and emptied with forms only", () =>
  withPlatform(async (platform) => {
    const ada = await visitorWithInbox(platform, [
      ["deployment.live", "<b>one</b>"],
      ["health.check_failed", "two"],
    ]);
    const inbox = await ada.open("/notifications?category=Deployment");
    assert.match(inbox.html, /&lt;b&gt;one&lt;\/b&gt; is live/);
    assert.doesNotMatch(inbox.html, /two failed its health check/);
    assert.match(
      inbox.headers.get("content-security-policy")!,
      /^default-src 'none'; .*script-src 'self'; connect-src 'self'$/,
    );
    const script = /<script src="([^"]+)"/.exec(inbox.html)![1]!;
    assert.match((await ada.open(script)).headers.get("content-type")!, /^text\/javascript/);
    assert.doesNotMatch(inbox.html, /<script>|<style|\sstyle=|\son\w+=/i);

    await ada.submit(inbox, "/notifications/read");
    const unread = await ada.open("/notifications?show=unread");
    assert.doesNotMatch(unread.html, /is live/);
    assert.match(unread.html, /two failed its health check/);
    await ada.submit(await ada.open("/notifications"), "/notifications/archive-all");
    assert.match((await ada.open("/notifications")).html, /Nothing here/);
    const archive = await ada.open("/notifications?show=archive");
    assert.match(archive.html, /two failed its health check/);
    assert.equal(formsOf(archive.html).filter(({ action }) => /delete$/.test(action)).length, 3);
    await ada.submit(archive, "/notifications/delete-all-archived");
    assert.match((await ada.open("/notifications?show=archive")).html, /The archive is empty/);
  }));

Deno.test("a long inbox has pages, and an invalid URL still shows a page", () =>
  withPlatform(async (platform) => {
    const events = Array.from(
      { length: 23 },
      (_, index) => ["deployment.live", `p${index}`] as [string, string],
    );
    const ada = await visitorWithInbox(platform, events);
    const older = await ada.open("/notifications?offset=20&category=Deployment");
    assert.match(older.html, /21 to 23 of 23/);
    assert.match(older.html, /p0 is live/);
    assert.match(older.html, /href="\/notifications\?category=Deployment"/);
    const odd = await ada.open("/notifications?offset=-1&category=%3Cx%3E&show=all&priority=no");
    assert.equal(odd.status, 200);
    assert.doesNotMatch(odd.html, /<x>/);
  }));

Deno.test("preferences are saved in one form, and quiet hours need a start and an end", () =>
  withPlatform(async (platform) => {
    const ada = await visitorWithInbox(platform, []);
    const path = "/notifications/preferences";
    const page = await ada.open(path);
    const fields = formsOf(page.html).find(({ action }) => action === path)!.fields;
    const save = (more: Record<string, string>) =>
      ada.send("POST", path, {
        fields: {
          csrf: fields.csrf!,
          "Health.in_app": "on",
          "Health.minimumPriority": "LOW",
          ...more,
        },
      });
    const half = await save({ "Health.start": "22:00", "Health.end": "" });
    assert.equal(half.status, 400);
    assert.match(half.html, /Health: set both times for quiet hours/);
    const saved = await save({ "Health.start": "22:00", "Health.end": "06:00" });
    assert.deepEqual([saved.status, saved.headers.get("location")], [303, `${path}?saved`]);
    const { json } = await platform.api("GET", "/v1/notifications/preferences", {
      token: null,
      headers: { cookie: ada.cookie },
    });
    assert.deepEqual(json.categories[1], {
      category: "Health",
      channels: { email: false, in_app: true, messenger: false, push: false },
      minimumPriority: "LOW",
      quietHours: { start: "22:00", end: "06:00" },
    });
    assert.equal(json.categories[0].channels.email, true);
    const foreign = await ada.send("POST", path, { fields: { "Health.minimumPriority": "LOW" } });
    assert.equal(foreign.status, 403);
  }));
