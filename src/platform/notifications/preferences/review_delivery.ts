/**
 * Decides again when a message is about to be sent: since its event was fanned out,
 * preferences may have changed and quiet hours begun.
 *
 * @module
 */
import { isPersonal } from "../../../contract/channels.ts";
import type { Clock } from "../../../lib/clock.ts";
import { wantedChannels } from "./wanted_channels.ts";
import type { ReviewDelivery } from "../delivery/types.ts";
import type { PreferenceService } from "./preference_service.ts";

/** Creates the check of messages that are about to be sent. */
export function createReview(
  { preferences, now }: { readonly preferences: PreferenceService; readonly now: Clock },
): ReviewDelivery {
  return async ({ channel, userId, workspaceId }) => {
    // A workspace has neither preferences nor quiet hours.
    if (userId === null || !isPersonal(channel)) return () => true;
    const { categories } = await preferences.of({ userId, workspaceId });
    return (content) => {
      const wanted = categories.find(({ category }) => category === content.category)!;
      return wantedChannels(content, wanted, now()).includes(channel);
    };
  };
}
