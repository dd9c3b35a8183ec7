/**
 * @module The pages and redirects at the gate of a protected host. None of these responses are
 * cached.
 */
import type { Header, HeaderList } from "../messages/header_list.ts";
import { edgePage, type PagedRequest, type PageWords } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";

/** The gate's own paths on a protected host. */
export const GATE_PATH = "/_svc/access/";
export const PASSWORD_PATH = `${GATE_PATH}password`;
export const SIGN_IN_PATH = `${GATE_PATH}sign-in`;
export const CALLBACK_PATH = `${GATE_PATH}callback`;

const PRIVATE: HeaderList = [
  ["cache-control", "no-store"],
  ["referrer-policy", "same-origin"],
  ["x-robots-tag", "noindex"],
];

/** Lets forms on these pages submit only to their own host, and prevents framing. */
const POLICY: Header = [
  "content-security-policy",
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
];

export const ASK: PageWords = [
  "Sign in to see this site",
  "Only members of its workspace can see it. Sign in to svc, or ask a member for a share link.",
];
export const ASK_PASSWORD: PageWords = [
  "This site needs a password",
  "Ask a member of its workspace for the password or for a share link.",
];
export const LOST_LINK: PageWords = [
  "This link no longer works",
  "It has expired, was revoked, or is for another deployment. Ask the person who sent it for a new one, or sign in as a member of the workspace.",
];
export const FAILED_SIGN_IN: PageWords = [
  "Sign-in failed",
  "The sign-in took too long, was already used, or started in another browser. Try again.",
];
export const MAINTENANCE: PageWords = [
  "Down for maintenance",
  "This site is being worked on. Please come back in a few minutes.",
];
export const WRONG_PASSWORD: PageWords = [
  "Wrong password",
  "Ask a member of its workspace for the password or for a share link.",
];

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const BUTTON = "font:inherit;padding:.4rem .9rem;border-radius:.4rem;border:1px solid #128a64;" +
  "background:#128a64;color:#fff;text-decoration:none;cursor:pointer";
const INPUT = "font:inherit;padding:.4rem .6rem;border-radius:.4rem;border:1px solid #8a8a90;" +
  "background:transparent;color:inherit;max-width:100%";

const passwordForm = (to: string): string =>
  `<form method="post" action="${PASSWORD_PATH}">` +
  `<input type="hidden" name="to" value="${escapeAttribute(to)}">` +
  `<p><label for="password">Password</label><br>` +
  `<input id="password" name="password" type="password" required autofocus maxlength="200" ` +
  `autocomplete="current-password" style="${INPUT}"> ` +
  `<button type="submit" style="${BUTTON}">Continue</button></p></form>`;

const signInLink = (to: string, isOnlyWay: boolean): string => {
  const href = escapeAttribute(`${SIGN_IN_PATH}?to=${encodeURIComponent(to)}`);
  return isOnlyWay
    ? `<p><a href="${href}" style="${BUTTON}">Sign in with svc</a></p>`
    : `<p><a href="${href}" style="color:inherit">Sign in as a member</a></p>`;
};

/** Returns a page that denies access and explains how a visitor can get it. */
export function gatePage(request: PagedRequest, status: number, { words, to, asksPassword, more }: {
  readonly words: PageWords;
  /** Path and query of the page to continue to. */
  readonly to: string;
  readonly asksPassword: boolean;
  readonly more?: HeaderList;
}): EdgeResponse {
  const extra = (asksPassword ? passwordForm(to) : "") + signInLink(to, !asksPassword);
  const challenge: HeaderList = status === 401 ? [["www-authenticate", 'Svc realm="preview"']] : [];
  const headers = [...PRIVATE.slice(1), POLICY, ...challenge, ...more ?? []];
  const page = edgePage(request, status, { words, extra, headers });
  return { ...page, isUncounted: true, isEdgePage: false };
}

/** Seconds after which visitors and search engines may retry during maintenance. */
const MAINTENANCE_RETRY_SECONDS = 300;

/**
 * Returns the page of a site that is down for maintenance. The site's own `503.html` can replace
 * it.
 */
export function maintenancePage(request: PagedRequest, { to, isPublic }: {
  readonly to: string;
  /** Whether everyone may see the site's own page. */
  readonly isPublic: boolean;
}): EdgeResponse {
  const page = edgePage(request, 503, {
    words: MAINTENANCE,
    extra: signInLink(to, false),
    headers: [["retry-after", String(MAINTENANCE_RETRY_SECONDS)], POLICY],
  });
  return { ...page, isUncounted: true, isEdgePage: isPublic };
}

/** Returns a redirect that is never cached. */
export function gateRedirect(
  location: string,
  { status = 302, cookies = [] }: {
    readonly status?: number;
    readonly cookies?: readonly string[];
  } = {},
): EdgeResponse {
  const headers: Header[] = [["location", location], ...PRIVATE];
  for (const cookie of cookies) headers.push(["set-cookie", cookie]);
  return { status, headers, body: null, bytes: 0, isUncounted: true };
}
