/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The HTML document around every page, and its headers. By default, no scripts can run,
 * nothing is loaded from other sites, and no site can embed the page in a frame.
 */
import type { Child } from "hono/jsx";
import { sha256Hex } from "../../lib/hash.ts";
import { makeAsset } from "./asset.ts";
import type { FormPage } from "./form.ts";
import { STYLESHEET } from "./stylesheet.ts";

/** The name contains a hash of the content, so browsers can cache the file permanently. */
export const STYLESHEET_PATH = `/assets/${sha256Hex(STYLESHEET).slice(0, 16)}.css`;

/** The Content Security Policy of pages: no scripts. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Some page URLs contain a one-time token, so other sites must not get a referrer. `no-referrer`
 * would also remove the `Origin` header from requests by our own forms.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": PAGE_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "no-store",
};

export interface PageFacts {
  readonly title: string;
  /** HTTP status; 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths of scripts that the page loads. The content security policy must allow these scripts. */
  readonly scripts?: readonly string[];
  /** Whether the page changes by itself soon. Without JavaScript, browsers then load it again. */
  readonly isChanging?: boolean;
  /** The htmx configuration, as JSON. */
  readonly htmxConfig?: string;
}

export const formPageFacts = (title: string, { status, headers }: FormPage): PageFacts => ({
  title,
  status,
  headers,
});

export function showPage(content: Child, facts: PageFacts): Response {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${facts.title} · svc`}</title>
        {facts.isChanging
          ? (
            <noscript>
              <meta http-equiv="refresh" content="3" />
            </noscript>
          )
          : null}
        <link rel="stylesheet" href={STYLESHEET_PATH} />
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        {facts.htmxConfig === undefined
          ? null
          : <meta name="htmx-config" content={facts.htmxConfig} />}
        {facts.scripts?.map((path) => <script key={path} src={path} defer></script>)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        {content}
      </body>
    </html>
  );
  return new Response(`<!doctype html>${page}`, {
    status: facts.status ?? 200,
    headers: { ...HEADERS, ...facts.headers },
  });
}

/** Renders a fragment that a page loads with htmx. */
export function showFragment(content: Child): Response {
  return new Response(`${content}`, { headers: HEADERS });
}

/** Redirects the browser to a path on this site with a GET request (303). */
export function goTo(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { "cache-control": "no-store", ...headers, location: path },
  });
}

/** Serves the style sheet. */
export const showStylesheet = makeAsset("text/css; charset=utf-8", () => STYLESHEET);

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">` +
  `<rect width="28" height="28" rx="7" fill="#0a6a4d"/>` +
  `<path d="M8 9h12M8 14h8M8 19h4" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>`;

/** Serves the icon that browsers show in the tab. */
export function showIcon(): Response {
  return new Response(ICON, {
    headers: {
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=86400",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
