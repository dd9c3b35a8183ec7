/**
 * Composes mails, as plain text and as HTML, from one notification or a digest. Pure.
 *
 * @module
 */
import type { NotificationContent } from "../../delivery/types.ts";

export interface MailFacts {
  /** Host of the platform, for people who have accounts on several. */
  readonly host: string;
  /** Address that turns such mails off; null if they cannot be turned off. */
  readonly unsubscribeUrl: string | null;
  /** How many notifications the mail stands for. */
  readonly total: number;
}

export interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_SUBJECT = 150;

/** One line without control characters. */
function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- what is taken out
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The addresses that a mail links to. */
function webUrl(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

const WHY_CRITICAL = "This is a critical notification, so you can't turn it off.";

const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:24px 12px;background:#f4f6f5;color:#18211d;
font:16px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
.sheet{max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #dde4e0;border-radius:12px;padding:28px}
.mark{font-weight:700;color:#0a6a4d}.kind{color:#5b6a63;font-size:13px}
h1{font-size:20px;line-height:1.3;margin:12px 0 8px}h2{font-size:16px;margin:0 0 2px}
.item{border-top:1px solid #dde4e0;padding:14px 0}
p{margin:0 0 12px;white-space:pre-line}
a.button{display:inline-block;background:#0a6a4d;color:#ffffff;text-decoration:none;padding:10px 18px;border-radius:8px;font-weight:600}
a{color:#0a6a4d}.foot{max-width:560px;margin:16px auto 0;color:#5b6a63;font-size:13px}
@media (prefers-color-scheme:dark){
body{background:#101513;color:#e6ece9}.sheet{background:#18201c;border-color:#2b3631}
.mark,a{color:#5fd3a8}.kind,.foot{color:#9aaaa2}.item{border-color:#2b3631}
a.button{background:#5fd3a8;color:#0d1a14}}`.replaceAll("\n", "");

function footer(facts: MailFacts): { readonly text: string; readonly html: string } {
  const { host, unsubscribeUrl } = facts;
  const from = `You get this because you have an account on ${host}.`;
  if (unsubscribeUrl === null) {
    return { text: `${from} ${WHY_CRITICAL}`, html: `${escape(from)} ${WHY_CRITICAL}` };
  }
  return {
    text: `${from}\nTurn off these mails: ${unsubscribeUrl}`,
    html: `${escape(from)} <a href="${escape(unsubscribeUrl)}">Turn off these mails</a>`,
  };
}

function page(title: string, inner: string, facts: MailFacts): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark">` +
    `<meta name="supported-color-schemes" content="light dark">` +
    `<title>${escape(title)}</title><style>${STYLE}</style></head>` +
    `<body><div class="sheet"><div class="mark">svc</div>${inner}</div>` +
    `<div class="foot">${footer(facts).html}</div></body></html>`;
}

function button(url: string | null): string {
  return url === null ? "" : `<p><a class="button" href="${escape(url)}">Open</a></p>`;
}

const kindOf = ({ category, priority, event }: NotificationContent): string =>
  `${category} · ${priority.toLowerCase()} · ${event}`;

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

function single(content: NotificationContent, facts: MailFacts): Omit<ComposedMail, "headers"> {
  const title = oneLine(content.title);
  const url = webUrl(content.actionUrl);
  return {
    subject: title.slice(0, MAX_SUBJECT),
    text: [content.body, ...(url === null ? [] : [url]), `-- \n${footer(facts).text}\n`]
      .join("\n\n"),
    html: page(
      title,
      `<div class="kind">${escape(kindOf(content))}</div><h1>${escape(title)}</h1>` +
        `<p>${escape(content.body)}</p>${button(url)}`,
      facts,
    ),
  };
}

function digest(
  contents: readonly NotificationContent[],
  facts: MailFacts,
): Omit<ComposedMail, "headers"> {
  const category = contents[0]!.category.toLowerCase();
  const subject = `${facts.total} ${category} notifications`;
  const left = facts.total - contents.length;
  const more = left === 0 ? [] : [`And ${left} more.`];
  const items = contents.map((content) => {
    const url = webUrl(content.actionUrl);
    const title = oneLine(content.title);
    return {
      text: [`* ${title}`, content.body, ...(url === null ? [] : [url])].join("\n"),
      html: `<div class="item"><h2>${
        url === null ? escape(title) : `<a href="${escape(url)}">${escape(title)}</a>`
      }</h2><p>${escape(content.body)}</p></div>`,
    };
  });
  return {
    subject,
    text: [...items.map(({ text }) => text), ...more, `-- \n${footer(facts).text}\n`]
      .join("\n\n"),
    html: page(
      subject,
      `<h1>${escape(subject)}</h1>${items.map(({ html }) => html).join("")}` +
        more.map((text) => `<p>${text}</p>`).join(""),
      facts,
    ),
  };
}

/** Composes the mail of one notification, or of several as a digest. */
export function composeMail(
  contents: readonly NotificationContent[],
  facts: MailFacts,
): ComposedMail {
  const mail = facts.total === 1 ? single(contents[0]!, facts) : digest(contents, facts);
  return { ...mail, headers: headersFor(contents, facts) };
}
