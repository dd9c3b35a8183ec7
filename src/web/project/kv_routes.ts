/** @module `/workspaces/{slug}/projects/{project}/kv`. */
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { MAX_KEY_BYTES } from "../../lib/kv_limits.ts";
import { type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import { environmentNames } from "./environment_names.ts";
import { closedKvPage, kvPage, type KvSelection, kvValuePage } from "./kv_page.tsx";
import { showKvValue } from "./kv_value.ts";
import { askOnProject, canChange, openProject, type ProjectVisit } from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";

const AT = "/workspaces/:slug/projects/:project/kv";
/** Maximum number of keys on a page. This limits the page's size even with the longest keys. */
const SIZE = 20;

const textOf = (query: URLSearchParams, name: string): string =>
  query.get(name)?.slice(0, MAX_KEY_BYTES) ?? "";

const selectionIn = (query: URLSearchParams): KvSelection => ({
  environment: textOf(query, "environment") || ENVIRONMENT_PRODUCTION,
  prefix: textOf(query, "prefix"),
  cursor: textOf(query, "cursor") || null,
});

/** Reads a key's value for the page. Returns `null` if the store does not have the key. */
async function readValue({ api, project }: ProjectVisit, environment: string, key: string) {
  try {
    return showKvValue(
      await api.call(endpoints.getKvValue, {
        params: { project: project.name },
        query: { environment, key },
      }),
    );
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return null;
    throw error;
  }
}

const SECONDS = /^\d{1,8}$/;

/** Converts the fields for a value to the API's format. */
function writtenOf({ value = "", contentType = "", ttl = "" }: PersonVisit["fields"]) {
  if (ttl.trim() !== "" && !SECONDS.test(ttl.trim())) {
    throw new Failure("invalid_request", "Enter a whole number of seconds");
  }
  return {
    encoding: "text",
    // Browsers send line breaks as CRLF (HTML, 4.10.21.5).
    value: value.replaceAll("\r\n", "\n"),
    contentType,
    ttlSeconds: ttl.trim() === "" ? null : Number(ttl),
  } as const;
}

export function bindKv(bind: PageBinder, services: BoardServices): void {
  const showKeys = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    if (!canChange(parts)) return closedKvPage(parts, shown);
    const selection = selectionIn(visit.query);
    const { environment, prefix, cursor } = selection;
    const [page, environments] = await Promise.all([
      parts.api.call(endpoints.listKv, {
        params: { project: parts.project.name },
        query: { environment, prefix, limit: SIZE, cursor: cursor ?? undefined },
      }),
      environmentNames(parts),
    ]);
    return kvPage(parts, { ...shown, selection, environments, ...page });
  };

  const showValue = async (visit: PersonVisit, key: string, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    if (!canChange(parts)) return closedKvPage(parts, shown);
    const selection = selectionIn(visit.query);
    const value = await readValue(parts, selection.environment, key);
    return kvValuePage(parts, { ...shown, selection, value });
  };

  const backTo = (
    { path }: ProjectVisit,
    { environment, prefix }: KvSelection,
    rest: Readonly<Record<string, string>>,
  ) => goTo(`${path("kv")}?${new URLSearchParams({ environment, prefix, ...rest })}`);

  bind.personal("GET", AT, (visit) => {
    const key = textOf(visit.query, "key");
    return key === "" ? showKeys(visit) : showValue(visit, key);
  });

  /** Sets a value. `version` is the expected version, or `null` for a new key. */
  const set = async (visit: PersonVisit, key: string, version: string | null) => {
    const parts = await openProject(visit, services);
    const selection = selectionIn(visit.query);
    await parts.api.call(endpoints.setKvValue, {
      params: { project: parts.project.name },
      body: { environment: selection.environment, key, version, ...writtenOf(visit.fields) },
    });
    return backTo(parts, selection, { key, done: "value-set" });
  };

  bind.personal("POST", `${AT}/add`, async (visit) => {
    try {
      return await set(visit, visit.fields.key ?? "", null);
    } catch (error) {
      return showKeys(visit, refused(error, visit.fields));
    }
  });

  bind.personal("POST", `${AT}/set`, async (visit) => {
    const key = textOf(visit.query, "key");
    try {
      return await set(visit, key, textOf(visit.query, "version"));
    } catch (error) {
      return showValue(visit, key, refused(error, visit.fields));
    }
  });

  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.kvValue(namedIn(parts))),
    run: async (visit) => {
      const parts = await openProject(visit, services);
      const selection = selectionIn(visit.query);
      await parts.api.call(endpoints.deleteKvValue, {
        params: { project: parts.project.name },
        query: {
          environment: selection.environment,
          key: textOf(visit.query, "key"),
          version: textOf(visit.query, "version"),
        },
      });
      return backTo(parts, selection, { done: "value-removed" });
    },
  });
}
