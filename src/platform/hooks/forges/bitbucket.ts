/** Events from Bitbucket Cloud and Bitbucket Data Center. Pure. @module */
import * as z from "zod";
import { type ForgeEvent, ignore, pullNumber, pullRequestEvent, refEvent } from "./forge_event.ts";

const ref = z.object({ type: z.string(), name: z.string() });
const pushed = z.object({
  push: z.object({
    changes: z.array(z.object({ new: ref.nullable(), old: ref.nullable() })),
  }),
});
const side = z.object({
  branch: z.object({ name: z.string() }),
  repository: z.object({ full_name: z.string() }).nullable(),
});
const pullRequest = z.object({
  pullrequest: z.object({ id: pullNumber, state: z.string(), source: side, destination: side }),
});

const refsChanged = z.object({
  changes: z.array(z.object({ refId: z.string(), type: z.string() })),
});
const serverSide = z.object({
  displayId: z.string(),
  repository: z.object({ id: z.number() }),
});
const serverPullRequest = z.object({
  pullRequest: z.object({
    id: pullNumber,
    state: z.string(),
    fromRef: serverSide,
    toRef: serverSide,
  }),
});

/** Actions that may change a pull request. */
const CHANGES: ReadonlySet<string> = new Set(["created", "updated", "opened", "from_ref_updated"]);

function cloudPush(payload: unknown): readonly ForgeEvent[] {
  return pushed.parse(payload).push.changes.map((change) => {
    const shown = change.new ?? change.old;
    return shown?.type === "branch"
      ? { type: change.new === null ? "stop" : "deploy", branch: shown.name }
      : { type: "ignore", reason: "A tag was changed" };
  });
}

/** @throws {z.ZodError} if the payload lacks any of the event's fields */
export function bitbucketEvents(event: string, payload: unknown): readonly ForgeEvent[] {
  if (event === "diagnostics:ping") return ignore("The hook works");
  if (event === "repo:push") return cloudPush(payload);
  if (event === "repo:refs_changed") {
    return refsChanged.parse(payload).changes
      .map(({ refId, type }) => refEvent(refId, type === "DELETE"));
  }
  const [kind, action = ""] = event.split(":");
  if (kind === "pullrequest" && /^(?:created|updated|fulfilled|rejected)$/.test(action)) {
    const { id: number, state, source, destination } = pullRequest.parse(payload).pullrequest;
    return pullRequestEvent({
      number,
      isOpen: state === "OPEN",
      isChanged: CHANGES.has(action),
      branch: source.branch.name,
      isFork: source.repository?.full_name !== destination.repository?.full_name,
    });
  }
  if (kind === "pr" && /^(?:opened|from_ref_updated|merged|declined|deleted)$/.test(action)) {
    const { id: number, state, fromRef, toRef } = serverPullRequest.parse(payload).pullRequest;
    return pullRequestEvent({
      number,
      isOpen: state === "OPEN" && action !== "deleted",
      isChanged: CHANGES.has(action),
      branch: fromRef.displayId,
      isFork: fromRef.repository.id !== toRef.repository.id,
    });
  }
  return ignore(`Ignored the event ${event}`);
}
