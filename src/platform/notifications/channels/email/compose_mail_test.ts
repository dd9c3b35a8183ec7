import assert from "node:assert/strict";
import { EVENT_NAMES, type EventName, sampleEventData } from "../../../../contract/events.ts";
import type { EventData } from "../../../../contract/event_data.ts";
import {
  addressTakenMail,
  alreadyMemberMail,
  confirmEmailMail,
  confirmSignUpMail,
  resetPasswordMail,
} from "../../../accounts/email/account_mails.ts";
import { content } from "../../delivery/_test_delivery.ts";
import { describeEvent } from "../../describe_event.ts";
import { composeAccountMail } from "./account_mails.ts";
import { composeMail } from "./compose_mail.ts";

const GOLDEN = new URL("../../../../../fixtures/notifications/mails.json", import.meta.url);
const origin = "https://svc.example";
const unsubscribeUrl = `${origin}/unsubscribe/token`;
const facts = { origin, workspace: "Acme", unsubscribeUrl, total: 1 };
const moment = Date.UTC(2026, 10, 27, 13, 5);

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

function mailOf(event: EventName, data: EventData): Mail {
  const known = { id: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01", createdAt: moment };
  const notification = describeEvent({ ...known, workspaceId: null, event, data }, { origin });
  const isCritical = notification.priority === "CRITICAL";
  return composeMail([notification], {
    ...facts,
    workspace: notification.category === "Security" ? null : facts.workspace,
    unsubscribeUrl: isCritical ? null : unsubscribeUrl,
  });
}

const link = { host: "svc.example", url: `${origin}/links/token` };
const accountMails = {
  confirmSignUpMail,
  alreadyMemberMail,
  confirmEmailMail,
  addressTakenMail,
  resetPasswordMail,
};

/** Returns every email that the platform sends, by name. */
function allMails(): Map<string, Mail> {
  const live = (project: string) =>
    content({
      title: `${project} is live`,
      createdAt: moment,
      data: { ...sampleEventData("deployment.live"), project },
    });
  return new Map<string, Mail>([
    ...EVENT_NAMES.flatMap((event): [string, Mail][] => [
      [event, mailOf(event, sampleEventData(event))],
      [`${event}, without data`, mailOf(event, {})],
    ]),
    [
      "preview",
      mailOf("deployment.live", {
        ...sampleEventData("deployment.live"),
        environment: "preview",
        branch: "new-header",
      }),
    ],
    ["digest", composeMail(["shop", "blog", "api"].map(live), { ...facts, total: 12 })],
    ["digest of two projects", composeMail(["shop", "blog"].map(live), { ...facts, total: 2 })],
    ...Object.entries(accountMails).map(([name, mail]): [string, Mail] => [
      name,
      composeAccountMail(mail("ada@example.com", link)),
    ]),
  ]);
}

Deno.test("composeMail() and composeAccountMail() match the golden emails", async () => {
  const words = Object.fromEntries(
    [...allMails()].map(([name, { subject, text }]) => [
      name,
      { subject, text: text.split("\n") },
    ]),
  );
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.writeTextFile(GOLDEN, JSON.stringify(words, null, 2) + "\n");
  }
  assert.deepEqual(words, JSON.parse(await Deno.readTextFile(GOLDEN)));
});

/** Returns an email's words and the URLs of its links, in order. */
const wordsOf = (text: string) => text.match(/https?:\/\/[^\s"<>]+|[\p{L}\p{N}]+/gu) ?? [];

/** Returns a page as a person reads it, with the URL of each link after the link's text. */
function readHtml(html: string): string {
  const body = html.slice(html.indexOf('<div class="mark">svc</div>') + 27);
  return body.replace(/<p class="small">Or open this link:.*?<\/p>/gs, "")
    .replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, "$2 $1 ")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

Deno.test("every email has one button, and the same content in text and HTML", () => {
  for (const [name, { subject, text, html }] of allMails()) {
    assert.deepEqual(wordsOf(readHtml(html)), wordsOf(text), name);
    assert.equal(html.match(/class="button"/g)?.length, 1, name);
    assert.match(
      subject,
      /^(?:[\w. -]+: [\p{L}\d]|(?:Confirm|Reset|You already).* svc\.example$|.*\ba project\b)/iu,
      name,
    );
    assert.ok(!/undefined|null|\[|\{/.test(text), name);
  }
});

Deno.test("composeMail() sets unsubscribe headers, or urgency instead", () => {
  assert.deepEqual(composeMail([content()], facts).headers, {
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
  const critical = content({ priority: "CRITICAL" });
  const { headers } = composeMail([critical], { ...facts, unsubscribeUrl: null });
  assert.deepEqual(headers, { "X-Priority": "1", Importance: "high" });
});

Deno.test("composeMail() prevents text from breaking out of headers or markup", () => {
  const evil = '</title><script>alert("1")</script>\r\nBcc: eve@example.com\u2028X: y';
  const { subject, html } = composeMail([
    content({
      title: evil,
      body: evil,
      actionUrl: "javascript:alert(1)",
      data: { project: evil, environment: evil, branch: evil },
    }),
  ], { ...facts, workspace: evil });
  assert.doesNotMatch(subject, /[\r\n\u2028]/);
  assert.doesNotMatch(html, /<script|javascript:/);
});

Deno.test("composeMail() truncates a subject that is too long, but keeps its project", () => {
  const event = "health.new_error";
  const { subject } = composeMail([
    content({ event, category: "Health", data: { project: "shop", reason: "x".repeat(500) } }),
  ], facts);
  assert.match(subject, /^shop: new error: x+…$/);
  assert.equal(subject.length, 150);
});

Deno.test("composeMail() names at most two of a digest's projects, and counts the others", () => {
  const of = (project: string) => content({ data: { project } });
  const subjects = [["shop"], ["shop", "blog"], ["shop", "blog", "api"]].map((projects) =>
    composeMail(projects.map(of), { ...facts, total: 12 }).subject
  );
  assert.deepEqual(subjects, [
    "shop: 12 deployment notifications",
    "shop and blog: 12 deployment notifications",
    "Acme: 12 deployment notifications",
  ]);
  const { text } = composeMail([of("shop")], { ...facts, total: 12 });
  assert.match(text, /\n\nAnd 11 more\.\n\n/);
});
