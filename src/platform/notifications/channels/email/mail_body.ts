/** The content of an email, as plain text and as equivalent HTML. Pure. @module */

export type MailPart =
  | { readonly type: "heading" | "text" | "small"; readonly text: string }
  /**
   * An email's only button. With `isShown`, the URL is repeated below the button, for people who
   * copy it.
   */
  | {
    readonly type: "button";
    readonly label: string;
    readonly url: string;
    readonly isShown?: boolean;
  }
  | { readonly type: "item"; readonly title: string; readonly url: string | null }
  | { readonly type: "link"; readonly label: string; readonly url: string };

export interface MailBody {
  readonly parts: readonly MailPart[];
  /** Why the email was sent, and how to turn off emails of this kind. */
  readonly footer: readonly MailPart[];
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * An inline style, because the button must be visible even in mail programs that drop style sheets.
 */
const BUTTON =
  "display:inline-block;background:#0a6a4d;color:#ffffff;text-decoration:none;padding:10px 18px;border-radius:8px;font-weight:600";

const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:24px 12px;background:#f4f6f5;color:#18211d;
font:16px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
.sheet{max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #dde4e0;border-radius:12px;padding:28px}
.mark{font-weight:700;color:#0a6a4d}
h1{font-size:20px;line-height:1.3;margin:12px 0 8px}h2{font-size:16px;margin:0 0 2px}
.item{border-top:1px solid #dde4e0;padding:14px 0 0}
p{margin:0 0 12px;white-space:pre-line}p:last-child{margin-bottom:0}
.small,.foot{color:#5b6a63;font-size:13px}
a{color:#0a6a4d}.foot{max-width:560px;margin:16px auto 0}.foot p{margin:0 0 4px;padding:0 28px}
@media (max-width:480px){body{padding:12px}.sheet{padding:20px}.foot p{padding:0 20px}}
@media (prefers-color-scheme:dark){
body{background:#101513;color:#e6ece9}.sheet{background:#18201c;border-color:#2b3631}
.mark,a{color:#5fd3a8}.small,.foot{color:#9aaaa2}.item{border-color:#2b3631}
a.button{background:#5fd3a8!important;color:#0d1a14!important}}`.replaceAll("\n", "");

function partAsHtml(part: MailPart): string {
  switch (part.type) {
    case "heading":
      return `<h1>${escape(part.text)}</h1>`;
    case "text":
      return `<p>${escape(part.text)}</p>`;
    case "small":
      return `<p class="small">${escape(part.text)}</p>`;
    case "button": {
      const url = escape(part.url);
      const link = part.isShown === true
        ? `<p class="small">Or open this link:\n<a href="${url}">${url}</a></p>`
        : "";
      return `<p><a class="button" style="${BUTTON}" href="${url}">${
        escape(part.label)
      }</a></p>${link}`;
    }
    case "item": {
      const title = escape(part.title);
      const linked = part.url === null ? title : `<a href="${escape(part.url)}">${title}</a>`;
      return `<h2 class="item">${linked}</h2>`;
    }
    case "link":
      return `<p><a href="${escape(part.url)}">${escape(part.label)}</a></p>`;
  }
}

export function mailAsHtml(title: string, { parts, footer }: MailBody): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark">` +
    `<meta name="supported-color-schemes" content="light dark">` +
    `<title>${escape(title)}</title><style>${STYLE}</style></head>` +
    `<body><div class="sheet"><div class="mark">svc</div>${parts.map(partAsHtml).join("")}</div>` +
    `<div class="foot">${footer.map(partAsHtml).join("")}</div></body></html>`;
}

function partAsText(part: MailPart): string {
  switch (part.type) {
    case "heading":
    case "text":
    case "small":
      return part.text;
    case "button":
      return `${part.label}:\n${part.url}`;
    case "item":
      return part.url === null ? `* ${part.title}` : `* ${part.title}\n${part.url}`;
    case "link":
      return `${part.label}: ${part.url}`;
  }
}

export function mailAsText({ parts, footer }: MailBody): string {
  const foot = footer.map(partAsText).join("\n");
  return [...parts.map(partAsText), ...(foot === "" ? [] : [`-- \n${foot}`])].join("\n\n") + "\n";
}
