/**
 * The page at the base address: says what answers here and where to go on.
 *
 * @module
 */
import { html } from "hono/html";

const STYLE = `
:root { color-scheme: light dark; --ink: #16181d; --soft: #5b6270; --paper: #fbfbf9; --line: #dfe1e6; --accent: #0b6e4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceef2; --soft: #9aa2b1; --paper: #14161a; --line: #2b2f38; --accent: #57c99b; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 2rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 36rem; }
h1 { font-size: 2.5rem; line-height: 1.1; letter-spacing: -0.03em; margin: 0 0 .5rem; }
p { color: var(--soft); margin: 0 0 1.5rem; }
pre { margin: 0 0 1.5rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto; font: .9rem/1.7 ui-monospace, monospace; }
a { color: var(--accent); }
`;

/** Renders the page for a platform at `url`. */
export function landingPage(
  platform: { readonly url: string; readonly version: string },
): Response {
  const page = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>svc</title>
        <style>${STYLE}</style>
      </head>
      <body>
        <main>
          <h1>svc is up</h1>
          <p>Version ${platform.version}. Deploy a folder with the tool:</p>
          <pre>export SVC_API_URL=${platform.url}
    export SVC_TOKEN=&lt;API key&gt;
    svc init --create
    svc deploy --prod</pre>
          <p>The API describes itself in its <a href="/v1/openapi.json">OpenAPI document</a>.</p>
        </main>
      </body>
    </html>
  `;
  return new Response(String(page), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "x-content-type-options": "nosniff",
    },
  });
}
