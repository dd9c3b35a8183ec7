/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * A page with the last requests, the rules, the key-value store and the caught mails.
 * It is rendered here, runs no script, and shows nothing to other sites.
 *
 * @module
 */
import { raw } from "hono/html";
import type { KvItem } from "../../kv/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { CaughtMail } from "../local/mod.ts";
import type { LoggedRequest } from "../options.ts";

/** Path of the page; what lies below is the dev server's own, too. */
export const PAGE_PATH = "/__svc";

/** What the page shows. */
export interface PageFacts {
  readonly project: string;
  /** The latest first. */
  readonly requests: readonly LoggedRequest[];
  readonly rules: RuntimeRuleSet | null;
  readonly functions: readonly string[];
  readonly keys: readonly KvItem[];
  readonly hasMoreKeys: boolean;
  /** The latest first. */
  readonly mails: readonly CaughtMail[];
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid; }
td { border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
td.wide { overflow-wrap: anywhere; } .number { text-align: right; }
.bad { color: #c2410c; } .quiet { opacity: .7; }
pre { overflow: auto; max-height: 24rem; padding: .75rem; background: color-mix(in srgb, currentColor 7%, transparent); }
nav a { margin-right: 1rem; }
`;

function Requests({ requests }: Pick<PageFacts, "requests">) {
  if (requests.length === 0) return <p class="quiet">None yet: open the site.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>Status</th>
          <th>Request</th>
          <th>Rules</th>
          <th>Cache</th>
          <th>Answered by</th>
          <th class="number">ms</th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ status, method, target, rules, cache, layer, durationMs, problem }) => (
          <tr>
            <td class={status >= 400 ? "bad" : ""}>{status}</td>
            <td class="wide">
              {method} {target}
              {problem === undefined ? "" : <div class="bad">{problem}</div>}
            </td>
            <td>{rules.join(", ")}</td>
            <td>{cache ?? ""}</td>
            <td>{layer}</td>
            <td class="number">{durationMs.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Rules({ rules, functions }: Pick<PageFacts, "rules" | "functions">) {
  return (
    <>
      {rules === null || rules.rules.length === 0
        ? <p class="quiet">No svc.rules.toml.</p>
        : (
          <table>
            <thead>
              <tr>
                <th>Rule</th>
                <th>Action</th>
                <th>Enabled</th>
              </tr>
            </thead>
            <tbody>
              {rules.rules.map(({ id, action, enabled }) => (
                <tr>
                  <td>{id}</td>
                  <td>{action.type}</td>
                  <td>{enabled ? "yes" : "no"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      {functions.length === 0 ? "" : <p>Functions: {functions.join(", ")}</p>}
    </>
  );
}

function Keys({ keys, hasMoreKeys }: Pick<PageFacts, "keys" | "hasMoreKeys">) {
  if (keys.length === 0) return <p class="quiet">Empty.</p>;
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>Key</th>
            <th class="number">Bytes</th>
            <th>Expires</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ key, size, expiresAt }) => (
            <tr>
              <td class="wide">{key}</td>
              <td class="number">{size}</td>
              <td>{expiresAt === undefined ? "" : new Date(expiresAt).toISOString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasMoreKeys ? <p class="quiet">And more: svc kv list shows them all.</p> : ""}
    </>
  );
}

function Mails({ mails }: Pick<PageFacts, "mails">) {
  if (mails.length === 0) {
    return <p class="quiet">None. What code sends by SMTP_URL is caught here.</p>;
  }
  return (
    <>
      {mails.map(({ time, from, to, subject, source }) => (
        <details>
          <summary>
            {new Date(time).toISOString()} · {subject === "" ? "(no subject)" : subject} · {from}
            {" to "}
            {to.join(", ")}
          </summary>
          <pre>{source}</pre>
        </details>
      ))}
    </>
  );
}

/** Renders the page; `nonce` lets its own style through, and nothing else. */
export async function showDevPage(facts: PageFacts, nonce: string): Promise<Response> {
  const { project } = facts;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${project} · svc dev`}</title>
        <style nonce={nonce}>{raw(STYLE)}</style>
      </head>
      <body>
        <h1>{project}</h1>
        <nav>
          <a href="/">Site</a>
          <a href={PAGE_PATH}>Reload</a>
        </nav>
        <h2>Requests</h2>
        <Requests requests={facts.requests} />
        <h2>Rules</h2>
        <Rules rules={facts.rules} functions={facts.functions} />
        <h2>Key-value store</h2>
        <Keys keys={facts.keys} hasMoreKeys={facts.hasMoreKeys} />
        <h2>Mail</h2>
        <Mails mails={facts.mails} />
      </body>
    </html>
  );
  return new Response(`<!doctype html>${await page}`, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
