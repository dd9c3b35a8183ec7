/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The inbox and the archive. */
import { EVENT_CATEGORIES, PRIORITIES } from "../../contract/events.ts";
import type { InboxCounts, Notification } from "../../contract/notifications.ts";
import { Empty } from "../layout/board_pieces.tsx";
import { Form, Moment } from "../layout/pieces.tsx";
import { PAGE_POLICY } from "../layout/document.tsx";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";
import { INBOX_SCRIPT_PATH } from "./inbox_script.ts";

/**
 * Allows the script and the stream that live updates need. Without them, the page does not change
 * after it has loaded.
 */
const POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

/** The part of the inbox that the URL selects. */
export interface InboxSelection {
  readonly tab: "inbox" | "unread" | "archive";
  readonly category: string | undefined;
  readonly priority: string | undefined;
  readonly offset: number;
}

const TABS = [["inbox", "Inbox"], ["unread", "Unread"], ["archive", "Archive"]] as const;

/** Returns the path of one part of the inbox. */
function inboxPath({ tab, category, priority, offset }: InboxSelection): string {
  const query = new URLSearchParams();
  if (tab !== "inbox") query.set("show", tab);
  if (category !== undefined) query.set("category", category);
  if (priority !== undefined) query.set("priority", priority);
  if (offset > 0) query.set("offset", String(offset));
  return query.size === 0 ? "/notifications" : `/notifications?${query}`;
}

function Choice({ name, label, values, chosen }: {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly chosen: string | undefined;
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} autocomplete="off">
        <option value="">All</option>
        {values.map((value) => (
          <option key={value} value={value} selected={value === chosen}>{value}</option>
        ))}
      </select>
    </div>
  );
}

function Filters({ tab, category, priority }: InboxSelection) {
  return (
    <form method="get" action="/notifications" class="side">
      {tab === "inbox" ? null : <input type="hidden" name="show" value={tab} />}
      <Choice name="category" label="Category" values={EVENT_CATEGORIES} chosen={category} />
      <Choice name="priority" label="Priority" values={PRIORITIES} chosen={priority} />
      <button class="quiet" type="submit">Filter</button>
    </form>
  );
}

function Act({ action, csrf, id, word, title, kind = "quiet little" }: {
  readonly action: string;
  readonly csrf: string;
  readonly id?: string;
  readonly word: string;
  /** The notification that the action affects, for screen readers. */
  readonly title?: string;
  readonly kind?: string;
}) {
  return (
    <div data-act={action}>
      <Form action={`/notifications/${action}`} csrf={csrf} hidden={{ id }} class="inline">
        <button class={kind} type="submit">
          {word}
          {title === undefined ? null : <span class="hush">{`: ${title}`}</span>}
        </button>
      </Form>
    </div>
  );
}

const TONES: Readonly<Record<Notification["priority"], string>> = {
  CRITICAL: "tag bad",
  HIGH: "tag care",
  NORMAL: "tag",
  LOW: "tag",
};

function Item({ item, csrf }: { readonly item: Notification; readonly csrf: string }) {
  const { id, title, body, category, priority, createdAt, actionUrl, read, archived } = item;
  return (
    <li id={id} class={read ? "seen" : "unseen"} tabindex={-1}>
      <div class="what">
        <span>
          {actionUrl === null ? title : <a href={actionUrl} rel="noreferrer">{title}</a>}
          <span class={TONES[priority]}>{priority}</span>
          {read ? null : <span class="tag good">New</span>}
        </span>
        <span>{body}</span>
        <span>
          {category} · <Moment at={createdAt} />
        </span>
      </div>
      <div class="row">
        {read ? null : <Act action="read" csrf={csrf} id={id} word="Read" title={title} />}
        {archived
          ? null
          : <Act action="archive" csrf={csrf} id={id} word="Archive" title={title} />}
        <Act
          action="delete"
          csrf={csrf}
          id={id}
          word="Delete"
          title={title}
          kind="danger little"
        />
      </div>
    </li>
  );
}

function Pager({ selection, total, size }: {
  readonly selection: InboxSelection;
  readonly total: number;
  readonly size: number;
}) {
  const { offset } = selection;
  if (total <= size && offset === 0) return null;
  const to = (next: number) => inboxPath({ ...selection, offset: Math.max(0, next) });
  return (
    <nav class="row" aria-label="Pages">
      {offset > 0 ? <a class="button quiet" href={to(offset - size)}>Newer</a> : null}
      <span class="soft">
        {`${Math.min(offset + 1, total)} to ${Math.min(offset + size, total)} of ${total}`}
      </span>
      {offset + size < total ? <a class="button quiet" href={to(offset + size)}>Older</a> : null}
    </nav>
  );
}

const EMPTY: Readonly<Record<InboxSelection["tab"], string>> = {
  inbox: "Nothing here",
  unread: "You're all caught up",
  archive: "The archive is empty",
};

export function inboxPage(context: PageContext, shown: {
  readonly selection: InboxSelection;
  readonly items: readonly Notification[];
  readonly total: number;
  readonly size: number;
  readonly counts: InboxCounts;
}): Response {
  const { selection, items, total, size, counts } = shown;
  const { csrf } = context;
  return showSettings(
    <SettingsFrame
      title="Notifications"
      lead={<a href="/notifications/preferences">Preferences</a>}
      context={context}
    >
      <div id="fresh" class="notice" role="status" hidden>
        <span id="fresh-text"></span>
        <a href={inboxPath({ ...selection, offset: 0 })}>Show</a>
      </div>
      <nav class="tabs" aria-label="Which notifications">
        {TABS.map(([tab, name]) => (
          <a
            key={tab}
            href={inboxPath({ ...selection, tab, offset: 0 })}
            aria-current={tab === selection.tab ? "page" : undefined}
          >
            {name} {tab === "unread"
              ? <span id="unread" class="count">{counts.unread === 0 ? "" : counts.unread}</span>
              : null}
          </a>
        ))}
      </nav>
      <Filters {...selection} />
      <section class="card" aria-label="Notifications">
        {items.length === 0
          ? (
            <Empty
              title={EMPTY[selection.tab]}
              {...(selection.tab === "inbox" ? { command: "svc notifications watch" } : {})}
            >
              {selection.tab === "inbox"
                ? "Events from your deployments and sites will appear here. To follow them in a terminal, run:"
                : null}
            </Empty>
          )
          : (
            <ol class="items" id="inbox">
              {items.map((item) => <Item key={item.id} item={item} csrf={csrf} />)}
            </ol>
          )}
      </section>
      {items.length === 0 ? null : (
        <p class="soft small keys">
          Keys: <kbd>j</kbd> down, <kbd>k</kbd> up, <kbd>Enter</kbd> open, <kbd>e</kbd> archive,
          {" "}
          <kbd>r</kbd> read, <kbd>#</kbd> delete.
        </p>
      )}
      <Pager selection={selection} total={total} size={size} />
      <div class="row">
        {selection.tab === "archive"
          ? (
            <Act
              action="delete-all-archived"
              csrf={csrf}
              word="Delete all archived"
              kind="danger"
            />
          )
          : (
            <>
              <Act action="read-all" csrf={csrf} word="Mark all as read" kind="quiet" />
              <Act action="archive-all" csrf={csrf} word="Archive all" kind="quiet" />
            </>
          )}
      </div>
      <script src={INBOX_SCRIPT_PATH} defer></script>
    </SettingsFrame>,
    { title: "Notifications", headers: { "content-security-policy": POLICY } },
  );
}
