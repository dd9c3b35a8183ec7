/**
 * Events from GitHub, Gitea and Forgejo, which all use the same payload format. Pure.
 *
 * @module
 */
import * as z from "zod";
import { type ForgeEvent, ignore, pullNumber, pullRequestEvent, refEvent } from "./forge_event.ts";

const NOTHING = /^0+$/;

const pushed = z.object({ ref: z.string(), after: z.string(), deleted: z.boolean().optional() });
const deleted = z.object({ ref: z.string(), ref_type: z.string() });
const place = z.object({
  ref: z.string(),
  repo: z.object({ full_name: z.string() }).nullish(),
});
const pullRequest = z.object({
  action: z.string(),
  number: pullNumber,
  pull_request: z.object({ state: z.string(), head: place, base: place }),
});

/** Actions after which a pull request may look different (Gitea: `synchronized`). */
const CHANGES: ReadonlySet<string> = new Set([
  "opened",
  "reopened",
  "synchronize",
  "synchronized",
  "ready_for_review",
]);

/** @throws {z.ZodError} if the payload lacks any of the event's fields */
export function githubEvents(event: string, payload: unknown): readonly ForgeEvent[] {
  switch (event) {
    case "ping":
      return ignore("The hook works");
    case "push": {
      const { ref, after, deleted: isDeleted } = pushed.parse(payload);
      return [refEvent(ref, isDeleted === true || NOTHING.test(after))];
    }
    case "delete": {
      const { ref, ref_type } = deleted.parse(payload);
      return ref_type === "branch" ? [{ type: "stop", branch: ref }] : ignore("A tag was deleted");
    }
    case "pull_request":
    case "pull_request_sync": {
      const { action, number, pull_request: { state, head, base } } = pullRequest.parse(payload);
      return pullRequestEvent({
        number,
        isOpen: state === "open",
        isChanged: CHANGES.has(action),
        branch: head.ref,
        isFork: head.repo?.full_name !== base.repo?.full_name,
      });
    }
    default:
      return ignore(`Ignored the event ${event}`);
  }
}
