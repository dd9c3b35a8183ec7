/**
 * Decides again when a message is about to be sent: since its event was fanned out,
 * preferences may have changed and quiet hours begun.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import { decideDelivery } from "./decide_delivery.ts";
import type { ReviewDelivery } from "../delivery/types.ts";
import type { PreferenceService } from "./preference_service.ts";

/** Creates the check of messages that are about to be sent. */
export function createReview(
  { preferences, now }: { readonly preferences: PreferenceService; readonly now: Clock },
): ReviewDelivery {
  return async ({ channel, userId, workspaceId }) => {
    // Webhooks and forges belong to a workspace, which has neither preferences nor quiet hours.
    if (userId === null || channel === "webhook" || channel === "forge") return () => true;
    const { categories } = await preferences.of({ userId, workspaceId });
    return (content) => {
      const wanted = categories.find(({ category }) => category === content.category)!;
      return decideDelivery(content, wanted, now())[channel].send;
    };
  };
}
