/** Composes the email for one notification, or for several as a digest. Pure. @module */
import { fillWords, momentOf } from "../../../../contract/event_words.ts";
import { type EventKind, EVENTS } from "../../../../contract/events.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import { mailAsHtml, mailAsText, type MailBody, type MailPart } from "./mail_body.ts";

interface MailFacts {
  /** The platform's URL, for people with accounts on several platforms. */
  readonly origin: string;
  /**
   * The workspace's name; `null` for notifications about the account, and if the platform has only
   * one workspace.
   */
  readonly workspace: string | null;
  /** The URL that turns off emails of this kind; `null` if they cannot be turned off. */
  readonly unsubscribeUrl: string | null;
  /** Number of notifications in the email. */
  readonly total: number;
}

interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_SUBJECT = 150;
const MAX_NAMED = 2;

/** Formats a time as `1 December 2026, 13:05 UTC`, because the reader's time zone is unknown. */
const formatTime = (time: number): string => momentOf(new Date(time).toISOString());

/**
 * Returns one line without control characters, shortened with an ellipsis if it is too long for a
 * subject.
 */
function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- removes control characters on purpose
  const line = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
  return line.length <= MAX_SUBJECT
    ? line
    : `${line.slice(0, MAX_SUBJECT - 1).toWellFormed().trimEnd()}…`;
}

function webUrl(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

const hostOf = ({ origin }: MailFacts): string => new URL(origin).host;

/** Returns the label for notifications without a project. */
const workspaceOf = (facts: MailFacts): string => facts.workspace ?? hostOf(facts);

/**
 * Names the project and what happened there, as in "shop: production is live (main at 8f14e45)".
 */
function subjectOf({ event, title, data }: NotificationContent, facts: MailFacts): string {
  const { subject, data: schema }: EventKind = EVENTS[event];
  if (subject === undefined || !schema.safeParse(data).success) {
    return oneLine(`${workspaceOf(facts)}: ${title}`);
  }
  const isOfProject = "project" in schema.shape;
  // Returns the title, which is the subject without the project.
  if (isOfProject && data.project === undefined) return oneLine(title);
  const place = isOfProject ? String(data.project) : workspaceOf(facts);
  return oneLine(`${place}: ${fillWords(subject, data)}`);
}

/** The platform's pages to which emails link, and their purposes. */
const PAGES: readonly (readonly [RegExp, string])[] = [
  [/^\/deployments\//, "Show the deployment"],
  [/^\/account\/activity/, "Review your activity"],
  [/^\/notifications/, "Open your inbox"],
  [/\/errors/, "Show the error"],
];

/** Returns the label of an email's button. */
function buttonOf({ data }: NotificationContent, url: string, { origin }: MailFacts): MailPart {
  const { pathname, origin: its } = new URL(url);
  const page = its === origin ? PAGES.find(([path]) => path.test(pathname))?.[1] : undefined;
  const isSite = its !== origin && typeof data.project === "string";
  return { type: "button", label: page ?? (isSite ? "Open the site" : "Show details"), url };
}

/**
 * Returns the small print for a notification: the kind, the workspace, and when the event happened.
 */
function lineOf({ category, priority, createdAt }: NotificationContent, facts: MailFacts) {
  const kind = priority === "CRITICAL" ? `${category}, critical` : category;
  const workspace = facts.workspace === null ? [] : [facts.workspace];
  return [kind, ...workspace, formatTime(createdAt)].join(" · ");
}

function footerOf({ category }: NotificationContent, facts: MailFacts): readonly MailPart[] {
  const { origin, workspace, unsubscribeUrl } = facts;
  const host = hostOf(facts);
  const because = workspace === null
    ? `you have an account on ${host}`
    : `you are a member of ${workspace} on ${host}`;
  return [
    { type: "text", text: `You are receiving this email because ${because}.` },
    {
      type: "link",
      label: "Choose which notifications you get",
      url: `${origin}/notifications/preferences`,
    },
    unsubscribeUrl === null
      ? {
        type: "text",
        text: "Critical notifications ignore channels, priorities and quiet hours.",
      }
      : { type: "link", label: `Turn off ${category.toLowerCase()} emails`, url: unsubscribeUrl },
  ];
}

function headersFor(contents: readonly NotificationContent[], facts: MailFacts) {
  const urgent = contents.some(({ priority }) => priority === "CRITICAL");
  return {
    ...(urgent ? { "X-Priority": "1", Importance: "high" } : {}),
    ...(facts.unsubscribeUrl === null ? {} : {
      "List-Unsubscribe": `<${facts.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
  };
}

function single(content: NotificationContent, facts: MailFacts) {
  const subject = subjectOf(content, facts);
  const url = webUrl(content.actionUrl);
  const parts: MailPart[] = [
    { type: "heading", text: subject },
    { type: "text", text: content.body },
    ...(url === null ? [] : [buttonOf(content, url, facts)]),
    { type: "small", text: lineOf(content, facts) },
  ];
  return { subject, parts };
}

/** Names the projects in a digest, or the workspace. */
function digestPlace(contents: readonly NotificationContent[], facts: MailFacts): string {
  const projects = [...new Set(contents.map(({ data }) => data.project))];
  const isNamed = projects.length <= MAX_NAMED &&
    projects.every((name) => typeof name === "string");
  return isNamed ? projects.join(" and ") : workspaceOf(facts);
}

function digest(contents: readonly NotificationContent[], facts: MailFacts) {
  const { category } = contents[0]!;
  const subject = oneLine(
    `${digestPlace(contents, facts)}: ${facts.total} ${category.toLowerCase()} notifications`,
  );
  const left = facts.total - contents.length;
  const parts: MailPart[] = [
    { type: "heading", text: subject },
    ...contents.flatMap((content): MailPart[] => [
      { type: "item", title: subjectOf(content, facts), url: webUrl(content.actionUrl) },
      { type: "text", text: content.body },
      { type: "small", text: formatTime(content.createdAt) },
    ]),
    ...(left === 0 ? [] : [{ type: "text", text: `And ${left} more.` } as const]),
    {
      type: "button",
      label: "Open your inbox",
      url: `${facts.origin}/notifications?category=${category}`,
    },
  ];
  return { subject, parts };
}

export function composeMail(
  contents: readonly NotificationContent[],
  facts: MailFacts,
): ComposedMail {
  const { subject, parts } = facts.total === 1
    ? single(contents[0]!, facts)
    : digest(contents, facts);
  const body: MailBody = { parts, footer: footerOf(contents[0]!, facts) };
  return {
    subject,
    text: mailAsText(body),
    html: mailAsHtml(subject, body),
    headers: headersFor(contents, facts),
  };
}
