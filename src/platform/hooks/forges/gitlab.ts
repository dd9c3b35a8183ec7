/** Events from GitLab. Pure. @module */
import * as z from "zod";
import { type ForgeEvent, ignore, pullNumber, pullRequestEvent, refEvent } from "./forge_event.ts";

const NOTHING = /^0+$/;

const pushed = z.object({ ref: z.string(), after: z.string() });
const mergeRequest = z.object({
  object_attributes: z.object({
    iid: pullNumber,
    action: z.string().optional(),
    state: z.string(),
    source_branch: z.string(),
    source_project_id: z.number().nullable(),
    target_project_id: z.number(),
    /** Present if an update contains new commits. */
    oldrev: z.string().nullish(),
  }),
});

/** @throws {z.ZodError} if the payload lacks any of the event's fields */
export function gitlabEvents(event: string, payload: unknown): readonly ForgeEvent[] {
  if (event === "Push Hook") {
    const { ref, after } = pushed.parse(payload);
    return [refEvent(ref, NOTHING.test(after))];
  }
  if (event === "Merge Request Hook") {
    const { object_attributes: request } = mergeRequest.parse(payload);
    const { action, oldrev } = request;
    return pullRequestEvent({
      number: request.iid,
      isOpen: request.state === "opened",
      isChanged: action === "open" || action === "reopen" || typeof oldrev === "string",
      branch: request.source_branch,
      isFork: request.source_project_id !== request.target_project_id,
    });
  }
  return ignore(`Ignored the event ${event}`);
}
