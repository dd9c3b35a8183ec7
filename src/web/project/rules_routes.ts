/** @module `/workspaces/{slug}/projects/{project}/rules`. */
import { LOG_LIMIT_MAX } from "../../contract/logs.ts";
import type { ResponseOf } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { inTurns } from "../../lib/next_turn.ts";
import { Failure, toFailure } from "../../platform/core/http/mod.ts";
import {
  compileInSteps,
  type LoadedRules,
  loadRulesInSteps,
  loadRulesToml,
  type RuleSet,
  type RuntimeRuleSet,
  SCHEMA_VERSION,
  type Surroundings,
  writeRulesToml,
} from "../../rules/mod.ts";
import { publishQuestion, QUESTIONS } from "../asking/questions.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { ClientLookup } from "../visit/client_facts.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { WHOLE_LIST } from "../visit/page_context.ts";
import { askOnProject, cursorOf, openProject, type ProjectVisit } from "./open_project.ts";
import { rulesPage, type RulesView } from "./rules_page.tsx";
import { type RecordedRequest, tryRules } from "./try_rules.ts";

type LogPage = ResponseOf<typeof endpoints.listLogs>;

export type RulesPageServices = BoardServices & ClientLookup;

const AT = "/workspaces/:slug/projects/:project/rules";

/** Maximum length of the text in the editor, in UTF-16 code units. The CLI accepts longer rules. */
const MAX_TEXT = 64 * 1024;
/** Maximum size of a form, including the text in UTF-8 and the other fields. */
const MAX_UPLOAD = 4 * MAX_TEXT;
/** Number of revisions per page. */
const SIZE = 20;
/** Maximum number of requests that are evaluated in a trial. */
const TRIED = 1000;
/**
 * Maximum number of log pages that are searched for these requests. The log also contains other
 * lines.
 */
const MAX_LOG_PAGES = 5;

/**
 * The editor's text if production has no rules. Adding rules after `rules = []` would not be valid
 * TOML.
 */
const STARTER = `schemaVersion = "${SCHEMA_VERSION}"
# Replace the last line with your rules, for example:
# [[rules]]
# id = "old-page"
# condition = { path = { type = "exact", value = "/old" } }
# action = { type = "redirect", target = "/", statusCode = 301 }
rules = []
`;
const NO_RULES: RuntimeRuleSet = { schemaVersion: SCHEMA_VERSION, rules: [] };

/** Formats a rule set as TOML, the way its author would write it. */
function textOf(ruleSet: unknown): string {
  const { schemaVersion, rules } = (ruleSet ?? NO_RULES) as RuleSet;
  return writeRulesToml({
    schemaVersion,
    rules: rules.map(({ enabled, condition, ...rest }) => ({
      ...rest,
      ...(enabled === false ? { enabled } : {}),
      ...(condition === undefined || Object.keys(condition).length === 0 ? {} : { condition }),
    })),
  });
}

/** Reads the facts about the live deployment that the checker needs. */
async function surroundingsOf({ api, project }: ProjectVisit): Promise<Surroundings> {
  const deployment = project.productionDeploymentId;
  const [health, live] = await Promise.all([
    api.call(endpoints.getHealth, {}),
    deployment === null ? undefined : api.call(endpoints.getDeployment, { params: { deployment } }),
  ]);
  return {
    functions: live?.functions ?? [],
    hasAsn: health.knowsNetworks,
    hasCountries: health.knowsCountries,
    nodes: health.nodes,
  };
}

/** Returns the hosts that serve the production deployment. */
async function productionHosts({ api, project }: ProjectVisit): Promise<ReadonlySet<string>> {
  const { items } = await api.call(endpoints.listDomains, {
    params: { project: project.name },
    query: WHOLE_LIST,
  });
  const domains = items.filter(({ environment }) => environment === "production");
  return new Set([new URL(project.url).hostname, ...domains.map(({ hostname }) => hostname)]);
}

/** Reads the latest visitor requests to production from the log. */
async function recordedRequests(parts: ProjectVisit): Promise<RecordedRequest[]> {
  const hosts = await productionHosts(parts);
  const found: RecordedRequest[] = [];
  let more: { readonly cursor?: string } = {};
  for (let page = 0; page < MAX_LOG_PAGES && found.length < TRIED; page++) {
    const query = { limit: LOG_LIMIT_MAX, ...more };
    const params = { project: parts.project.name };
    const { items, nextCursor }: LogPage = await parts.api.call(endpoints.listLogs, {
      params,
      query,
    });
    for (const entry of items.toReversed()) {
      if (entry.type !== "request" || !hosts.has(entry.host.replace(/:\d+$/, ""))) continue;
      // Scheduled tasks bypass the rules.
      if (!entry.requestId.startsWith("cron-")) found.push(entry);
    }
    if (nextCursor === null) break;
    more = { cursor: nextCursor };
  }
  return found.slice(0, TRIED);
}

export function bindRules(bind: PageBinder, services: RulesPageServices): void {
  type Shown = Partial<Omit<RulesView, "active" | "revisions" | "nextCursor">> & {
    readonly status?: number;
  };

  /** Returns the rules in effect, with the version that is required to publish new rules. */
  const readActive = async ({ api, project }: ProjectVisit) => {
    const params = { project: project.name };
    const { body: active, etag = "" } = await api.send(endpoints.getRules, { params });
    return { active, etag };
  };

  const show = async (parts: ProjectVisit, shown: Shown = {}) => {
    const params = { project: parts.project.name };
    const cursor = cursorOf(parts);
    const [{ active, etag }, { items: revisions, nextCursor }] = await Promise.all([
      readActive(parts),
      parts.api.call(endpoints.listRuleRevisions, {
        params,
        query: { limit: SIZE, cursor: cursor ?? undefined },
      }),
    ]);
    const current = active.ruleSet === null ? STARTER : textOf(active.ruleSet);
    const text = "text" in shown ? shown.text : current.length > MAX_TEXT ? undefined : current;
    return rulesPage(parts, { etag, ...shown, active, text, revisions, nextCursor });
  };

  /** Checks the rules in the editor. @throws {Failure} `payload_too_large` if they are too long */
  const readTyped = async (parts: ProjectVisit, visit: PersonVisit) => {
    const text = (visit.fields.toml ?? "").replaceAll("\r\n", "\n");
    if (text.length > MAX_TEXT) {
      throw new Failure(
        "payload_too_large",
        "These rules are too long for this page. Use svc rules publish instead",
      );
    }
    const loaded: LoadedRules = loadRulesToml(text, await surroundingsOf(parts));
    // The version of the displayed text, which shows whether newer rules have been published.
    const etag = visit.fields.etag ?? "";
    return { loaded, kept: { text, etag, diagnostics: loaded.diagnostics } };
  };

  /** Binds an action that uses the text in the editor. */
  const act = (
    name: string,
    run: (
      parts: ProjectVisit,
      typed: Awaited<ReturnType<typeof readTyped>>,
    ) => Promise<Response>,
  ) =>
    bind.personal("POST", `${AT}/${name}`, async (visit) => {
      const parts = await openProject(visit, services);
      return await run(parts, await readTyped(parts, visit));
    }, { maxUpload: MAX_UPLOAD });

  bind.personal("GET", AT, async (visit) => {
    const parts = await openProject(visit, services);
    const revision = (visit.query.get("revision") ?? "").slice(0, 64);
    if (revision === "") return show(parts);
    const params = { project: parts.project.name, revision };
    const [{ ruleSet }, { active }] = await Promise.all([
      parts.api.call(endpoints.getRuleRevision, { params }),
      readActive(parts),
    ]);
    return show(parts, {
      compared: { revisionId: revision, from: textOf(active.ruleSet), to: textOf(ruleSet) },
    });
  });

  act("check", (parts, { kept }) => show(parts, kept));

  act("try", async (parts, { loaded, kept }) => {
    if (loaded.runtime === undefined) {
      return show(parts, { ...kept, failure: "Correct the errors to try the rules", status: 400 });
    }
    const [{ active }, requests] = await Promise.all([
      readActive(parts),
      recordedRequests(parts),
    ]);
    const { runtime = NO_RULES } = active.ruleSet === null
      ? {}
      : await inTurns(loadRulesInSteps(active.ruleSet));
    const trial = tryRules(requests, {
      before: await inTurns(compileInSteps(runtime)),
      after: await inTurns(compileInSteps(loaded.runtime)),
      clientFacts: (client) => services.clientFacts(client),
    });
    return show(parts, { ...kept, trial });
  });

  const publish = async (
    parts: ProjectVisit,
    { loaded, kept }: Awaited<ReturnType<typeof readTyped>>,
  ) => {
    if (loaded.ruleSet === undefined) {
      return show(parts, { ...kept, failure: "Correct the errors to publish", status: 400 });
    }
    const params = { project: parts.project.name };
    try {
      await parts.api.call(endpoints.putRules, {
        params,
        body: loaded.ruleSet,
        ifMatch: kept.etag,
      });
      return parts.back("rules", "rules-published");
    } catch (error) {
      const failure = toFailure(error);
      if (failure.status >= 500) throw error;
      if (failure.code !== "precondition_failed") {
        return show(parts, { ...kept, failure: failure.message, status: failure.status });
      }
      const { active, etag } = await readActive(parts);
      return show(parts, { ...kept, etag, theirs: textOf(active.ruleSet), status: 412 });
    }
  };
  bind.asking(`${AT}/publish`, {
    // Rules that contain errors or are based on an older version are not published, so no question
    // is needed.
    ask: (visit) =>
      askOnProject(services, async (parts) => {
        const [{ loaded, kept }, { active, etag }] = await Promise.all([
          readTyped(parts, visit),
          readActive(parts),
        ]);
        const { project: { name, productionDeploymentId } } = parts;
        if (productionDeploymentId === null || loaded.runtime === undefined || kept.etag !== etag) {
          return undefined;
        }
        return publishQuestion(name, { from: active.ruleSet, to: loaded.runtime });
      })(visit),
    run: async (visit) => {
      const parts = await openProject(visit, services);
      return publish(parts, await readTyped(parts, visit));
    },
  }, { maxUpload: MAX_UPLOAD });

  /** Binds a change to the published rules that does not use the text in the editor. */
  const change = (
    done: string,
    run: (parts: ProjectVisit, visit: PersonVisit) => Promise<unknown>,
  ) =>
  async (visit: PersonVisit) => {
    const parts = await openProject(visit, services);
    try {
      await run(parts, visit);
      return parts.back("rules", done);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.status >= 500) throw error;
      return show(parts, { failure: failure.message, status: failure.status });
    }
  };
  bind.asking(`${AT}/restore`, {
    ask: askOnProject(services, async (parts) => {
      const { api, project, visit: { fields } } = parts;
      const params = { project: project.name, revision: fields.revision ?? "" };
      const [{ ruleSet }, { active, etag }] = await Promise.all([
        api.call(endpoints.getRuleRevision, { params }),
        readActive(parts),
      ]);
      return project.productionDeploymentId === null || fields.etag !== etag
        ? undefined
        : publishQuestion(project.name, { from: active.ruleSet, to: ruleSet });
    }),
    run: change("rules-restored", ({ api, project }, { fields }) => {
      const params = { project: project.name, revision: fields.revision ?? "" };
      return api.call(endpoints.restoreRules, { params, ifMatch: fields.etag ?? "" });
    }),
  });
  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.rules(namedIn(parts))),
    run: change("rules-removed", ({ api, project }, { fields }) => {
      const params = { project: project.name };
      return api.call(endpoints.deleteRules, { params, ifMatch: fields.etag ?? "" });
    }),
  });
}
