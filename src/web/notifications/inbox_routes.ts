/** @module The routes for the inbox and the preferences. */
import { CHANNELS } from "../../contract/channels.ts";
import { EVENT_CATEGORIES, type EventCategory, PRIORITIES } from "../../contract/events.ts";
import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { pageContextOf } from "../visit/page_context.ts";
import type { Fields } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { type Person, selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure, type Router } from "../../platform/core/http/mod.ts";
import {
  inboxViewOf,
  type NotificationService,
  type PreferenceService,
} from "../../platform/notifications/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { inboxPage, type InboxSelection } from "./inbox_pages.tsx";
import { INBOX_SCRIPT_PATH, showInboxScript } from "./inbox_script.ts";
import { fieldName, preferencesPage } from "./preference_pages.tsx";

export interface InboxPageServices {
  readonly notifications: NotificationService;
  readonly preferences: PreferenceService;
  readonly workspaces: WorkspaceService;
}

/** Number of notifications per page. */
const SIZE = 20;

const id = z.object({ id: z.uuid() });

/** Reads the filter from a URL. Ignores invalid values. */
function selectionIn(query: URLSearchParams): InboxSelection & {
  readonly category: (typeof EVENT_CATEGORIES)[number] | undefined;
  readonly priority: (typeof PRIORITIES)[number] | undefined;
} {
  const show = query.get("show");
  const offset = /^\d{1,9}$/.test(query.get("offset") ?? "") ? Number(query.get("offset")) : 0;
  return {
    tab: show === "unread" || show === "archive" ? show : "inbox",
    category: EVENT_CATEGORIES.find((name) => name === query.get("category")),
    priority: PRIORITIES.find((name) => name === query.get("priority")),
    offset,
  };
}

/** Converts the preferences form to the API's format. Browsers do not send unchecked checkboxes. */
function changeOf(fields: Fields, category: EventCategory): unknown {
  const field = (part: Parameters<typeof fieldName>[1]) => fields[fieldName(category, part)];
  const [minimumPriority, start = "", end = ""] = [
    field("minimumPriority"),
    field("start"),
    field("end"),
  ];
  const channels = Object.fromEntries(
    CHANNELS.map((channel) => [channel, field(channel) !== undefined]),
  );
  const quietHours = start === "" && end === "" ? null : { start, end };
  const deployments = field("deployments");
  const change = { category, channels, minimumPriority, quietHours };
  return deployments === undefined ? change : { ...change, deployments };
}

export function bindInboxPages(
  bind: PageBinder,
  router: Router,
  services: InboxPageServices,
): void {
  router.page("GET", INBOX_SCRIPT_PATH, showInboxScript);
  bindInbox(bind, services);
  bindPreferences(bind, services);
}

function bindInbox(bind: PageBinder, { notifications, workspaces }: InboxPageServices): void {
  bind.personal("GET", "/notifications", async (visit) => {
    const selection = selectionIn(visit.query);
    const { tab, category, priority, offset } = selection;
    const view = inboxViewOf(selfCallerOf(visit.person));
    const filter = {
      archived: tab === "archive",
      unreadOnly: tab === "unread",
      category,
      priority,
    };
    const [context, page, counts] = await Promise.all([
      pageContextOf({ ...visit, path: "/notifications" }, workspaces),
      notifications.inboxes.list(view, { ...filter, limit: SIZE, offset }),
      notifications.inboxes.counts(view),
    ]);
    return inboxPage(context, { selection, ...page, size: SIZE, counts });
  });

  /** Binds an action that returns to the page with the form. */
  const act = (name: string, run: (person: Person, fields: Fields) => Promise<unknown>) =>
    bind.personal("POST", `/notifications/${name}`, async ({ person, fields, cameFrom }) => {
      await run(person, fields);
      return goTo(cameFrom.startsWith("/notifications") ? cameFrom : "/notifications");
    });
  const one = (fields: Fields): string => {
    const parsed = id.safeParse(fields);
    if (parsed.success) return parsed.data.id;
    throw new Failure("invalid_request", "Submit the form from one of the platform's own pages");
  };
  act(
    "read",
    (person, fields) => notifications.read(inboxViewOf(selfCallerOf(person)), one(fields)),
  );
  act(
    "archive",
    (person, fields) => notifications.archive(inboxViewOf(selfCallerOf(person)), one(fields)),
  );
  act(
    "delete",
    (person, fields) => notifications.delete(inboxViewOf(selfCallerOf(person)), one(fields)),
  );
  act("read-all", (person) => notifications.readAll(inboxViewOf(selfCallerOf(person))));
  act("archive-all", (person) => notifications.archiveAll(inboxViewOf(selfCallerOf(person))));
  act(
    "delete-all-archived",
    (person) => notifications.deleteArchived(inboxViewOf(selfCallerOf(person))),
  );
}

function bindPreferences(bind: PageBinder, { preferences, workspaces }: InboxPageServices): void {
  const path = "/notifications/preferences";
  const context = async (visit: PersonVisit) => {
    const facts = await pageContextOf({ ...visit, path }, workspaces);
    return visit.query.get("saved") === null ? facts : { ...facts, done: "Saved." };
  };

  bind.personal("GET", path, async (visit) =>
    preferencesPage(await context(visit), {
      preferences: await preferences.of(selfCallerOf(visit.person)),
    }));

  bind.personal("POST", path, async (visit) => {
    const { person, fields } = visit;
    const own = selfCallerOf(person);
    const changes: z.infer<typeof endpoints.putCategoryPreference.body>[] = [];
    for (const category of EVENT_CATEGORIES) {
      if (fields[fieldName(category, "minimumPriority")] === undefined) continue;
      const parsed = endpoints.putCategoryPreference.body.safeParse(changeOf(fields, category));
      if (parsed.success) {
        changes.push(parsed.data);
        continue;
      }
      const failure = parsed.error.issues.some(({ path: [field] }) => field === "quietHours")
        ? `${category}: set both times for quiet hours, or neither. Nothing was saved.`
        : "Submit the form from one of the platform's own pages";
      return preferencesPage(await context(visit), {
        preferences: await preferences.of(own),
        refused: { category, state: { values: {}, problems: {}, failure } },
      });
    }
    for (const change of changes) await preferences.setCategory(own, change);
    return goTo(`${path}?saved`);
  });
}
