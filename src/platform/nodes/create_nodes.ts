/** `GET /v1/nodes`, for the platform's owner. @module */
import { endpoints } from "../../contract/endpoints.ts";
import type { AccountStore } from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";

export function createNodes(
  { nodes }: Pick<Foundation, "nodes">,
  { accounts }: { readonly accounts: Pick<AccountStore, "ownerId"> },
): Capability {
  return {
    name: "nodes",
    health: () => ({ nodes: nodes.count() }),
    bindRoutes(router) {
      router.guarded(endpoints.listNodes, async (caller) => {
        if (await accounts.ownerId() !== caller.user.id) {
          throw new Failure("forbidden", "Only the platform's owner can list its nodes");
        }
        const items = (await nodes.list()).map((
          { id, version, addresses, url, since, lagMs, roles },
        ) => ({
          id,
          version,
          addresses,
          url,
          lagMs,
          since: new Date(since).toISOString(),
          roles: [...roles],
          isSelf: id === nodes.id,
        }));
        return { items, lost: (await nodes.lost()).map(({ id }) => id) };
      });
    },
  };
}
