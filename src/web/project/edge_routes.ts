/**
 * `/workspaces/{slug}/projects/{project}/edge`.
 *
 * @module
 */
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
  type RuntimeRuleSet,
} from "../../rules/mod.ts";
import { type AskedRequest, edgePage, RULES_SHOWN } from "./edge_page.tsx";
import { openProject } from "./open_project.ts";

/** Most rules that a page explains a request with; the tool takes any number. */
const MAX_EXPLAINED = 1000;

const MAX_URL = 2000;
const MAX_IP = 60;

function askedOf(query: URLSearchParams): AskedRequest {
  const method = METHODS.find((name) => name === query.get("method")) ?? "GET";
  const url = (query.get("url") ?? "").trim().slice(0, MAX_URL);
  return { method, url, ip: (query.get("ip") ?? "").trim().slice(0, MAX_IP) };
}

/** Explains a request; a text says why that cannot be done. */
async function explain(
  ruleSet: RuntimeRuleSet,
  { method, url, ip }: AskedRequest,
): Promise<Explanation | string> {
  if (ruleSet.rules.length > MAX_EXPLAINED) {
    return `The set has more than ${MAX_EXPLAINED} rules. Use svc rules explain instead`;
  }
  if (!/^(?:https?:\/\/|\/)/i.test(url)) return 'Enter a URL, or a path that begins with "/"';
  if (ip !== "" && parseIp(ip) === undefined) return "Enter the client's IPv4 or IPv6 address";
  try {
    const facts = factsFromRequest({ method, url, ...(ip === "" ? {} : { ip }) });
    if ("rejected" in facts) return "URL is not valid: the edge responds with 400";
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
    // The API gives out what it validated when the set was published.
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
