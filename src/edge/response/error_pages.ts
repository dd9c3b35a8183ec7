/** @module The edge's own pages, which contain nothing from the request. */
import type { HeaderList, RequestFields } from "../messages/header_list.ts";
import type { EdgeResponse } from "./edge_response.ts";

/** Title and text of the page for each status. */
const SENTENCES: Readonly<Record<number, PageWords>> = {
  400: ["Bad request", "The URL or host of this request is invalid."],
  401: ["Sign-in required", "Sign in to see this site."],
  403: ["Forbidden", "This site does not allow this request."],
  404: ["Not found", "There is no page at this URL."],
  405: ["Method not allowed", "This URL only accepts GET and HEAD requests."],
  412: ["Precondition failed", "The page has changed since your last request."],
  414: ["URL too long", "The URL of this request is too long."],
  416: ["Range not satisfiable", "The page does not have the requested range."],
  429: ["Too many requests", "Please wait a moment and try again."],
  500: ["Something went wrong", "The page cannot be shown because of a fault on our side."],
  501: ["Not implemented", "This part of the site needs a server that is not supported here."],
  503: ["Not available", "This site is not available right now."],
  508: ["Loop detected", "This site forwards the request back to itself."],
};

const OTHER_CLIENT_ERROR = ["Request refused", "This site refused this request."] as const;
const OTHER_SERVER_ERROR = ["Not available", "This site cannot handle this request."] as const;

/** Title and text of a page. */
export type PageWords = readonly [title: string, sentence: string];

/** Text of the page for a host without a deployment. */
export const UNKNOWN_HOST: PageWords = ["Site not found", "There is no site at this hostname."];

const STYLE = "body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto 0;max-width:32rem;" +
  "padding:0 1.5rem;color:#1c1c1e;background:#fff}h1{font-size:1.5rem;margin:0 0 .5rem}" +
  "p{margin:0 0 1rem}small{color:#6b6b70}" +
  "@media(prefers-color-scheme:dark){body{color:#f2f2f4;background:#161618}small{color:#9a9aa0}}";

const SECURITY: HeaderList = [
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["vary", "accept"],
];
const HTML: HeaderList = [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"],
  ...SECURITY,
];
const TEXT: HeaderList = [["content-type", "text/plain; charset=utf-8"], ...SECURITY];

const encoder = new TextEncoder();

function wordsFor(status: number): PageWords {
  return SENTENCES[status] ?? (status < 500 ? OTHER_CLIENT_ERROR : OTHER_SERVER_ERROR);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The parts of a request that a page depends on. */
export interface PagedRequest extends RequestFields {
  readonly method: string;
  readonly id: string;
}

export interface PageOptions {
  /** Extra header fields, in addition to those of every page. */
  readonly headers?: HeaderList;
  /** Replaces the default text of the status. */
  readonly words?: PageWords;
  /** HTML below the text, for browsers. */
  readonly extra?: string;
}

/** Returns one of the edge's own pages: HTML for browsers, one line of text for everyone else. */
export function edgePage(
  request: PagedRequest,
  status: number,
  { headers: more = [], words = wordsFor(status), extra = "" }: PageOptions = {},
): EdgeResponse {
  const [title, sentence] = words;
  const wantsHtml = request.header("accept")?.includes("text/html") ?? false;
  const text = wantsHtml
    ? `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width"><title>${title}</title>` +
      `<style>${STYLE}</style></head><body><h1>${title}</h1><p>${sentence}</p>${extra}` +
      `<small>${status} · ${escapeHtml(request.id)}</small></body></html>\n`
    : `${status} ${title}: ${sentence} (${request.id})\n`;
  const body = encoder.encode(text);
  const headers = [...(wantsHtml ? HTML : TEXT), ...more];
  const isEdgePage = true;
  if (request.method !== "HEAD") {
    return { status, headers, body, bytes: body.byteLength, isEdgePage };
  }
  headers.push(["content-length", String(body.byteLength)]);
  return { status, headers, body: null, bytes: 0, isEdgePage };
}
