/** @module `/workspaces/{slug}/webhooks`, for owners. */
import { endpoints } from "../../contract/endpoints.ts";
import { EVENT_CATEGORIES, EVENT_NAMES } from "../../contract/events.ts";
import { MAX_WEBHOOKS } from "../../contract/webhooks.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { webhooksPath } from "../layout/bar.tsx";
import { QUESTIONS } from "../asking/questions.ts";
import { namedIn } from "../visit/board_context.ts";
import { goTo } from "../layout/document.tsx";
import { type FormPage, refused } from "../layout/form.ts";
import { type BoardServices, type BoardVisit, openBoard } from "../visit/board_context.ts";
import { cursorIn, pageRangeIn } from "../visit/long_list.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { webhookPage, webhooksPage } from "./webhooks_page.tsx";

const AT = "/workspaces/:slug/webhooks";

/** Opens a page for owners. @throws {Failure} `forbidden` */
async function openForOwner(visit: PersonVisit, services: BoardServices): Promise<BoardVisit> {
  const slug = visit.params.slug ?? "";
  const board = await openBoard(visit, slug, services);
  if (board.context.workspace.role === "owner") return board;
  throw new Failure("forbidden", `Only owners of "${slug}" can do this`);
}

/**
 * Returns the parameters of API calls for the webhook in the path. @throws {Failure} `not_found`
 * for an invalid ID
 */
function paramsOf({ params }: PersonVisit) {
  const parsed = endpoints.getWebhook.params.safeParse({ webhook: params.webhook });
  if (parsed.success) return parsed.data;
  throw new Failure("not_found", `Webhook ${params.webhook} does not exist`);
}

export function bindWebhooks(bind: PageBinder, services: BoardServices): void {
  type Shown = Omit<Parameters<typeof webhookPage>[1], "webhook" | "deliveries" | keyof Cursors>;
  type Cursors = Record<"cursor" | "nextCursor", string | null>;

  const showAll = async (
    visit: PersonVisit,
    shown: FormPage & { readonly chosen?: readonly string[] } = {},
  ) => {
    const { context, api } = await openForOwner(visit, services);
    const { items: webhooks } = await api.call(endpoints.listWebhooks, {
      query: { limit: MAX_WEBHOOKS },
    });
    return webhooksPage(context, { ...shown, webhooks });
  };

  const showOne = async (visit: PersonVisit, shown: Shown = {}) => {
    const { context, api } = await openForOwner(visit, services);
    const params = paramsOf(visit);
    const [webhook, { items: deliveries, nextCursor }] = await Promise.all([
      api.call(endpoints.getWebhook, { params }),
      api.call(endpoints.listWebhookDeliveries, { params, query: pageRangeIn(visit.query) }),
    ]);
    const cursor = cursorIn(visit.query);
    return webhookPage(context, { ...shown, webhook, deliveries, cursor, nextCursor });
  };

  /** Redirects to the webhook's page. */
  const back = (visit: PersonVisit, done: string) =>
    goTo(`${webhooksPath(visit.params.slug ?? "")}/${visit.params.webhook}?done=${done}`);

  bind.personal("GET", AT, (visit) => showAll(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api } = await openForOwner(visit, services);
    const { url = "", description = "" } = visit.fields;
    const [categories, events] = [visit.values("categories"), visit.values("events")];
    try {
      const { secret, id } = await api.call(endpoints.createWebhook, {
        body: {
          url,
          description,
          categories: EVENT_CATEGORIES.filter((name) => categories.includes(name)),
          events: EVENT_NAMES.filter((name) => events.includes(name)),
        },
      });
      return await showOne({ ...visit, params: { ...visit.params, webhook: id } }, { secret });
    } catch (error) {
      const chosen = [...categories, ...events];
      return await showAll(visit, { ...refused(error, visit.fields), chosen });
    }
  });

  bind.personal("GET", `${AT}/:webhook`, (visit) => showOne(visit));

  bind.personal("POST", `${AT}/:webhook/test`, async (visit) => {
    const { api } = await openForOwner(visit, services);
    const event = EVENT_NAMES.find((name) => name === visit.fields.event) ?? "deployment.live";
    try {
      const params = paramsOf(visit);
      const result = await api.call(endpoints.testWebhook, { params, body: { event } });
      return await showOne(visit, { result: { ...result, event } });
    } catch (error) {
      return await showOne(visit, refused(error, {}));
    }
  });

  bind.personal("POST", `${AT}/:webhook/rotate`, async (visit) => {
    const { api } = await openForOwner(visit, services);
    const { secret } = await api.call(endpoints.rotateWebhookSecret, { params: paramsOf(visit) });
    return await showOne(visit, { secret });
  });

  bind.personal("POST", `${AT}/:webhook/switch`, async (visit) => {
    const { api } = await openForOwner(visit, services);
    const enabled = visit.fields.to === "on";
    await api.call(endpoints.updateWebhook, { params: paramsOf(visit), body: { enabled } });
    return back(visit, enabled ? "webhook-on" : "webhook-off");
  });

  bind.personal("POST", `${AT}/:webhook/replay`, async (visit) => {
    const { api } = await openForOwner(visit, services);
    try {
      const params = { ...paramsOf(visit), delivery: visit.fields.delivery ?? "" };
      await api.call(endpoints.redeliverWebhook, { params });
      return back(visit, "delivery-replayed");
    } catch (error) {
      return await showOne(visit, refused(error, {}));
    }
  });

  bind.asking(`${AT}/:webhook/delete`, {
    ask: async (visit) => QUESTIONS.webhook(namedIn(await openForOwner(visit, services))),
    run: async (visit) => {
      const { api, context } = await openForOwner(visit, services);
      await api.call(endpoints.deleteWebhook, { params: paramsOf(visit) });
      return goTo(`${webhooksPath(context.workspace.slug)}?done=webhook-deleted`);
    },
  });
}
