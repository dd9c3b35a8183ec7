/** Measures the cost of reading small and large inboxes from a store on disk. @module */
import { EVENT_CATEGORIES, PRIORITIES } from "../../../contract/events.ts";
import { join } from "node:path";
import { systemClock, systemRandom } from "../../../lib/clock.ts";
import { EventIds } from "../../core/events/event_id.ts";
import type { NotificationContent } from "../delivery/types.ts";
import { Inboxes } from "./inboxes.ts";
import type { InboxView } from "./inbox_view.ts";
import { InboxStore } from "./inbox_store.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

/** How long each operation takes, in milliseconds, by name. */
type InboxCosts = ReadonlyMap<string, number>;

const ROUNDS = 300;
const BATCH = 2000;

function makeContents(
  count: number,
  ids: EventIds,
  workspaceId = "01890000-0000-7000-8000-000000000001",
): NotificationContent[] {
  return Array.from({ length: count }, (_, index) => ({
    id: ids.next(),
    event: "deployment.live",
    category: EVENT_CATEGORIES[index % EVENT_CATEGORIES.length]!,
    priority: PRIORITIES[index % PRIORITIES.length]!,
    title: `project-${index} is live`,
    body: "Deployment of main at 0123456 in production is live",
    actionUrl: "https://project.example.com/",
    createdAt: 0,
    workspaceId,
    data: { project: `project-${index}`, branch: "main", environment: "production" },
  }));
}

async function timed(run: () => Promise<unknown>, rounds = 1): Promise<number> {
  const started = performance.now();
  for (let round = 0; round < rounds; round++) await run();
  return (performance.now() - started) / rounds;
}

/**
 * Adds `count` unread notifications from a workspace to a person's inbox. The platform must be
 * stopped.
 */
export async function fillInbox(
  kv: RecordStore,
  { userId, workspaceId, count }: {
    readonly userId: string;
    readonly workspaceId: string;
    readonly count: number;
  },
): Promise<void> {
  const ids = new EventIds(systemClock, systemRandom);
  const inboxes = new Inboxes({
    store: new InboxStore(kv),
    now: systemClock,
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  for (let left = count; left > 0; left -= BATCH) {
    await inboxes.add(userId, makeContents(Math.min(left, BATCH), ids, workspaceId));
  }
  await inboxes.close();
}

/** Measures an inbox of `count` notifications, all but 10 of which are archived. */
export async function measureInbox(count: number): Promise<InboxCosts> {
  const folder = await Deno.makeTempDir({ prefix: "svc-inbox-bench-" });
  const kv = await DenoStore.open(join(folder, "kv.sqlite3"));
  const view: InboxView = { userId: "01890000-0000-7000-8000-00000000000a", workspaces: null };
  const open = () =>
    new Inboxes({
      store: new InboxStore(kv),
      now: systemClock,
      onTrouble: (message) => {
        throw new Error(message);
      },
    });
  const ids = new EventIds(systemClock, systemRandom);
  const inboxes = open();
  try {
    const add = (many: number) => inboxes.add(view.userId, makeContents(many, ids));
    for (let left = count - 10; left > 0; left -= BATCH) await add(Math.min(left, BATCH));
    const costs = new Map<string, number>();
    costs.set("archive-all", await timed(() => inboxes.changeAll(view, "archive")));
    await add(10);
    await inboxes.close();
    const list = (archived: boolean, offset = 0) =>
      inboxes.list(view, { archived, unreadOnly: false, limit: 20, offset });
    const high = {
      archived: true,
      unreadOnly: true,
      category: "Health",
      priority: "HIGH",
    } as const;
    costs.set("list, first page", await timed(() => list(false), ROUNDS));
    costs.set("list, archive", await timed(() => list(true), ROUNDS));
    costs.set("list, archive from its middle", await timed(() => list(true, count >> 1), ROUNDS));
    costs.set(
      "list, four filters",
      await timed(() => inboxes.list(view, { ...high, limit: 20, offset: 0 }), ROUNDS),
    );
    costs.set("inbox-count", await timed(() => inboxes.counts(view), ROUNDS));
    costs.set("has-unread", await timed(() => inboxes.hasUnread(view), ROUNDS));
    const { items } = await list(false);
    costs.set("read one", await timed(() => inboxes.read(view, items[0]!.id)));
    costs.set("add one", await timed(() => add(1), 20));
    const cold = open();
    costs.set("first use after a start", await timed(() => cold.hasUnread(view)));
    await cold.close();
    return costs;
  } finally {
    await inboxes.close();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}
