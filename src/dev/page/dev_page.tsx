/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module A page with the last requests, the rules, the key-value store, the caught emails and the
 * form submissions. The page is rendered here, runs no script, and shows nothing to other sites.
 */
import { raw } from "hono/html";
import type { KvItem } from "../../kv/mod.ts";
import { formatBytes } from "../../lib/format.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { CaughtMail } from "../local/caught_mail.ts";
import type { LocalSubmission } from "../local/local_forms.ts";
import type { LoggedRequest } from "../options.ts";

/** Path of the page. Paths below it also belong to the dev server. */
export const PAGE_PATH = "/__svc";

export interface PageFacts {
  readonly project: string;
  /** Newest first. */
  readonly requests: readonly LoggedRequest[];
  readonly rules: RuntimeRuleSet | null;
  readonly functions: readonly string[];
  readonly keys: readonly KvItem[];
  readonly hasMoreKeys: boolean;
  /** Newest first. */
  readonly mails: readonly CaughtMail[];
  /** Newest first. */
  readonly submissions: readonly LocalSubmission[];
}

const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c1d20, #e9e9ec); --quiet: light-dark(#5d6068, #a3a6ae);
  --line: light-dark(#e2e3e7, #303238); --paper: light-dark(#f6f6f8, #131417);
  --card: light-dark(#fff, #1b1d21); --link: light-dark(#1d4ed8, #93b4ff);
  --good: light-dark(#176b3a, #7fd6a0); --warn: light-dark(#8a5300, #f0bd6a);
  --bad: light-dark(#b42318, #ff9384);
  font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
}
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; }
h1 { font-size: 1.35rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
a { color: var(--link); }
section {
  margin-top: 1.25rem; padding: 1rem 1.25rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem;
}
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem 1rem .3rem 0; vertical-align: top; }
th { font-weight: 500; font-size: .85rem; color: var(--quiet); white-space: nowrap; }
td { border-top: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
td.wide, code, pre { font: .9rem/1.5 ui-monospace, monospace; }
td.wide { width: 60%; overflow-wrap: anywhere; }
.clamp { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.quiet { color: var(--quiet); } p { margin: 0; } section p + p, table + p { margin-top: .5rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details + details { margin-top: .5rem; }
pre {
  overflow: auto; max-height: 24rem; margin: .5rem 0 0; padding: .75rem;
  background: var(--paper); border-radius: .35rem;
}
@media (max-width: 45rem) {
  section { padding: .75rem; }
  thead { display: none; }
  tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .4rem 0; border-top: 1px solid var(--line); }
  td { border: 0; padding: 0; }
  td:empty { display: none; }
  td.wide { flex: 1 1 75%; width: auto; }
  td.wide:first-child { flex-basis: 100%; }
  td:not(.wide, .status) { color: var(--quiet); font-size: .85rem; }
}
`;

/** Returns the date and time on this computer, such as `2026-11-22 21:27:36`. */
const localTime = (time: number): string => new Date(time).toLocaleString("sv-SE");

function colorOf(status: number): string {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : status >= 300 ? "quiet" : "good";
}

function Requests({ requests }: Pick<PageFacts, "requests">) {
  if (requests.length === 0) return <p class="quiet">No requests yet. Open the site.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>Status</th>
          <th>Request</th>
          <th>Rules</th>
          <th>Cache</th>
          <th>Served by</th>
          <th class="number">Time</th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ status, method, target, rules, cache, layer, durationMs, problem }) => (
          <tr>
            <td class={`status ${colorOf(status)}`}>{status}</td>
            <td class="wide">
              <span class="clamp" title={target}>{method} {target}</span>
              {problem === undefined ? "" : <span class="bad">{problem}</span>}
            </td>
            <td>{rules.join(", ")}</td>
            <td>{cache ?? ""}</td>
            <td>{layer}</td>
            <td class="number">{durationMs.toFixed(1)} ms</td>
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
                <th>State</th>
              </tr>
            </thead>
            <tbody>
              {rules.rules.map(({ id, action, enabled }) => (
                <tr>
                  <td class="wide">{id}</td>
                  <td>{action.type}</td>
                  <td class={enabled ? "good" : "quiet"}>{enabled ? "acts" : "disabled"}</td>
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
            <th class="number">Size</th>
            <th>Expires</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ key, size, expiresAt }) => (
            <tr>
              <td class="wide">{key}</td>
              <td class="number">{formatBytes(size)}</td>
              <td>{expiresAt === undefined ? "" : `until ${localTime(expiresAt)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasMoreKeys
        ? (
          <p class="quiet">
            And more: <code>svc kv list</code> shows all keys.
          </p>
        )
        : ""}
    </>
  );
}

function Mails({ mails }: Pick<PageFacts, "mails">) {
  if (mails.length === 0) {
    return (
      <p class="quiet">
        No mail yet. Mail sent through <code>SMTP_URL</code> appears here.
      </p>
    );
  }
  return (
    <>
      {mails.map(({ time, from, to, subject, source }) => (
        <details>
          <summary>
            <span class="quiet">{localTime(time)}</span> ·{" "}
            {subject === "" ? "(no subject)" : subject} · {from}
            {" to "}
            {to.join(", ")}
          </summary>
          <pre>{source}</pre>
        </details>
      ))}
    </>
  );
}

function Submissions({ submissions }: Pick<PageFacts, "submissions">) {
  if (submissions.length === 0) {
    return (
      <p class="quiet">
        No submissions yet. Forms with the action <code>/_svc/forms/…</code> appear here.
      </p>
    );
  }
  return (
    <>
      {submissions.map(({ time, form, fields, files, spam }) => (
        <details>
          <summary>
            <span class="quiet">{localTime(time)}</span> · {form}
            {spam === null ? "" : <span class="warn">· spam: {spam}</span>}
          </summary>
          <pre>
            {[
              ...fields.map(({ name, value }) => `${name}: ${value}`),
              ...files.map(({ field, name, size }) => `${field}: ${name}, ${formatBytes(size)}`),
            ].join("\n")}
          </pre>
        </details>
      ))}
    </>
  );
}

/** Renders the page. `nonce` allows only the page's own style. */
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
        <header>
          <h1>{project}</h1>
          <a href="/">Site</a>
          <a href={PAGE_PATH}>Reload</a>
        </header>
        <section>
          <h2>Requests</h2>
          <Requests requests={facts.requests} />
        </section>
        <section>
          <h2>Rules and functions</h2>
          <Rules rules={facts.rules} functions={facts.functions} />
        </section>
        <section>
          <h2>Key-value store</h2>
          <Keys keys={facts.keys} hasMoreKeys={facts.hasMoreKeys} />
        </section>
        <section>
          <h2>Mail</h2>
          <Mails mails={facts.mails} />
        </section>
        <section>
          <h2>Forms</h2>
          <Submissions submissions={facts.submissions} />
        </section>
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
