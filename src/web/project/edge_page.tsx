/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The production rules, with their matches and a form to test them. */
import { endpoints } from "../../contract/endpoints.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { inTurns } from "../../lib/next_turn.ts";
import {
  compileInSteps,
  explainRequest,
  type Explanation,
  factsFromRequest,
  METHODS,
  parseIp,
  type RuleOutcome,
  type RuntimeRule,
  type RuntimeRuleSet,
} from "../../rules/mod.ts";
import { openProject, type ProjectVisit } from "./open_project.ts";
import type { ActiveRules } from "../../contract/rules.ts";
import type { TrafficReport } from "../../contract/traffic.ts";
import { Card, Moment, Notice } from "../layout/pieces.tsx";
import { Empty, SelectField, State, type Tone } from "../layout/board_pieces.tsx";
import { EdgeFigures } from "./edge_figures.tsx";
import { projectPage } from "./project_page.tsx";

/** Number of rules per page. */
const RULES_SHOWN = 50;
/** Maximum number of characters that are shown per condition or action. */
const MAX_TEXT = 400;

/** The request that the person has entered and wants to have explained. */
interface AskedRequest {
  readonly method: string;
  readonly url: string;
  readonly ip: string;
}

interface EdgeView {
  readonly active: Pick<ActiveRules, "origin" | "revisionId" | "deploymentId" | "publishedAt">;
  /** The rules starting at position `from`. */
  readonly rules: readonly RuntimeRule[];
  readonly from: number;
  readonly total: number;
  readonly hits: ReadonlyMap<string, number>;
  readonly asked: AskedRequest;
  /** The counts for the last day. */
  readonly traffic: TrafficReport;
  /**
   * The explanation of the request, or the reason why there is none. `undefined` if there is no
   * request.
   */
  readonly explained: Explanation | string | undefined;
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Whether a rule records what it would do, but has no effect. */
const isShadow = ({ action }: RuntimeRule): boolean => "mode" in action && action.mode === "shadow";

function hitsText(hits: number, shadow: boolean): string {
  const kind = shadow ? "shadow match" : "match";
  return hits === 1 ? `1 ${kind}` : `${hits} ${kind}es`;
}

function RuleRow({ rule, hits }: { readonly rule: RuntimeRule; readonly hits: number }) {
  const { id, name, enabled, condition, action } = rule;
  return (
    <li>
      <State tone={enabled ? "good" : "idle"} past={!enabled}>{action.type}</State>
      <div class="main">
        <span>
          <span class="mono">{id}</span>
        </span>
        {name === undefined ? null : <span class="soft">{name}</span>}
        <details class="more">
          <summary>
            Condition and action<span class="hush">{` of ${id}`}</span>
          </summary>
          <div class="stack">
            <p class="mono small soft">
              {condition === undefined ? "every request" : jsonText(condition)}
            </p>
            <p class="mono small">{jsonText(action)}</p>
          </div>
        </details>
      </div>
      <div class="meta end">
        {enabled ? null : <span>disabled</span>}
        {isShadow(rule) ? <span class="tag">Shadow mode</span> : null}
        <span>{hitsText(hits, isShadow(rule))}</span>
      </div>
    </li>
  );
}

const OUTCOMES: Readonly<Record<RuleOutcome["state"], readonly [Tone, string]>> = {
  applied: ["good", "Applied"],
  skipped: ["care", "No effect"],
  not_matched: ["idle", "Not matched"],
  disabled: ["idle", "Disabled"],
};

function whyOf(outcome: RuleOutcome): string | undefined {
  if (outcome.state === "skipped") return outcome.reason;
  if (outcome.state !== "not_matched") return undefined;
  const { field, wanted, seen } = outcome.mismatch;
  return `${field} must be ${wanted}, but is ${seen}`;
}

function Explained({ explained }: { readonly explained: Explanation | string }) {
  if (typeof explained === "string") return <Notice kind="bad">{explained}</Notice>;
  // Rules that were applied are the most useful, so they come first. Other rules follow until the
  // limit is reached.
  const weight = ({ state }: RuleOutcome) => state === "applied" ? 0 : state === "skipped" ? 1 : 2;
  const rules = explained.rules.toSorted((a, b) => weight(a.outcome) - weight(b.outcome))
    .slice(0, RULES_SHOWN);
  return (
    <>
      <pre class="terminal" tabindex={0}>{explained.summary.join("\n")}</pre>
      <ol class="stack">
        {rules.map(({ id, phase, outcome }) => {
          const [tone, word] = OUTCOMES[outcome.state];
          const why = whyOf(outcome);
          return (
            <li key={id}>
              <State tone={tone} past={outcome.state === "disabled"}>{word}</State>{" "}
              <span class="mono">{id}</span> <span class="soft small">{phase}</span>
              {why === undefined ? null : <p class="small soft">{why.slice(0, MAX_TEXT)}</p>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function ExplainCard({ path, view }: { readonly path: string; readonly view: EdgeView }) {
  const { asked: { method, url, ip }, explained } = view;
  return (
    <Card
      title="Explain a request"
      id="explain"
      lead="Evaluated by the edge's rule engine. No request is sent; static files are ignored."
    >
      <div class="body">
        <form
          method="get"
          action={path}
          class="line-form"
          hx-get={path}
          hx-target="#explained"
          hx-select="#explained"
          hx-swap="outerHTML"
        >
          <SelectField label="Method" name="method" values={METHODS} chosen={method} />
          <div class="field">
            <label for="url">Path or URL</label>
            <input id="url" name="url" value={url} required maxlength={2000} autocomplete="off" />
          </div>
          <div class="field">
            <label for="ip">Client IP address</label>
            <input id="ip" name="ip" value={ip} maxlength={60} autocomplete="off" />
          </div>
          <button type="submit">Explain</button>
        </form>
        <div id="explained" class="stack" aria-live="polite">
          {explained === undefined ? null : <Explained explained={explained} />}
        </div>
      </div>
    </Card>
  );
}

function Origin({ active }: { readonly active: EdgeView["active"] }) {
  const { origin, revisionId, deploymentId, publishedAt } = active;
  if (origin === "ui") {
    return (
      <>
        Published as revision <span class="mono">{revisionId}</span>
        {publishedAt === null ? null : (
          <>
            {" "}on <Moment at={publishedAt} />
          </>
        )}
      </>
    );
  }
  return deploymentId === null
    ? <>None</>
    : <a href={`/deployments/${deploymentId}`}>The live deployment's rules</a>;
}

function Places({ path, from, total }: {
  readonly path: string;
  readonly from: number;
  readonly total: number;
}) {
  if (total <= RULES_SHOWN) return null;
  const last = Math.min(from + RULES_SHOWN, total);
  return (
    <nav class="pager row" aria-label="Pages">
      {from === 0 ? null : (
        <a
          class="button quiet little"
          href={`${path}?from=${Math.max(0, from - RULES_SHOWN)}`}
        >
          Earlier rules
        </a>
      )}
      <span class="soft">{`${from + 1} to ${last} of ${total}`}</span>
      {last === total
        ? null
        : <a class="button quiet little" href={`${path}?from=${last}`}>Later rules</a>}
    </nav>
  );
}

function edgePage(parts: ProjectVisit, view: EdgeView): Response {
  const path = parts.path("edge");
  const { rules, hits, from, total } = view;
  return projectPage(
    parts,
    { here: "edge", about: "edge" },
    <>
      <Card title="Rules in production" id="rules" lead={<Origin active={view.active} />}>
        {rules.length === 0
          ? (
            <Empty title="No rules" command="svc rules check">
              <a href={parts.path("rules")}>Write rules here</a>, or add them to svc.rules.toml and
              check them:
            </Empty>
          )
          : (
            <ol class="rows">
              {rules.map((rule) => (
                <RuleRow key={rule.id} rule={rule} hits={hits.get(rule.id) ?? 0} />
              ))}
            </ol>
          )}
      </Card>
      <Places path={path} from={from} total={total} />
      <EdgeFigures
        traffic={view.traffic}
        path={parts.path("traffic")}
        url={parts.project.url}
      />
      {total === 0 ? null : <ExplainCard path={path} view={view} />}
    </>,
  );
}

/** Maximum number of rules for which the page can explain a request. The CLI has no limit. */
const MAX_EXPLAINED = 1000;

const MAX_URL = 2000;
const MAX_IP = 60;

function askedOf(query: URLSearchParams): AskedRequest {
  const method = METHODS.find((name) => name === query.get("method")) ?? "GET";
  const url = (query.get("url") ?? "").trim().slice(0, MAX_URL);
  return { method, url, ip: (query.get("ip") ?? "").trim().slice(0, MAX_IP) };
}

/** Explains a request, or returns the reason why that is not possible. */
async function explain(
  ruleSet: RuntimeRuleSet,
  { method, url, ip }: AskedRequest,
): Promise<Explanation | string> {
  if (ruleSet.rules.length > MAX_EXPLAINED) {
    return `There are more than ${MAX_EXPLAINED} rules. Use svc rules explain instead`;
  }
  if (!/^(?:https?:\/\/|\/)/i.test(url)) return 'Enter a URL, or a path that begins with "/"';
  if (ip !== "" && parseIp(ip) === undefined) return "Enter the client's IPv4 or IPv6 address";
  try {
    const facts = factsFromRequest({ method, url, ...(ip === "" ? {} : { ip }) });
    if ("rejected" in facts) return "The URL is not valid, so the edge would respond with 400";
    const compiled = await inTurns(compileInSteps(ruleSet));
    return explainRequest(compiled, facts, { fileExists: () => false, rateLimited: () => false });
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

export function bindEdge(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/projects/:project/edge", async (visit) => {
    const parts = await openProject(visit, services);
    const params = { project: parts.project.name };
    const [active, counters, traffic] = await Promise.all([
      parts.api.call(endpoints.getRules, { params }),
      parts.api.call(endpoints.listRuleCounters, { params }),
      parts.api.call(endpoints.getTraffic, { params, query: { range: "day" } }),
    ]);
    // The API returns the rules that it validated when they were published.
    const ruleSet = active.ruleSet as RuntimeRuleSet | null;
    const asked = askedOf(visit.query);
    const given = visit.query.get("from") ?? "";
    const from = /^\d{1,5}$/.test(given) ? Number(given) : 0;
    const rules = ruleSet?.rules ?? [];
    return edgePage(parts, {
      active,
      from,
      asked,
      traffic,
      rules: rules.slice(from, from + RULES_SHOWN),
      total: rules.length,
      hits: new Map(counters.items.map(({ ruleId, matches }) => [ruleId, matches])),
      explained: ruleSet === null || asked.url === "" ? undefined : await explain(ruleSet, asked),
    });
  });
}
