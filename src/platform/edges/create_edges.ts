/**
 * Wires up front edges: `/v1/edges` for the platform's owner, requests from edges, and relayed
 * requests.
 *
 * @module
 */
import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import { countRules, type SiteDirectory } from "../../edge/mod.ts";
import type { AccountStore } from "../accounts/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";
import type { ConnectionHandler } from "../core/listener/mod.ts";
import { EdgeEndpoint, type EdgeEndpointParts } from "./edge_endpoint.ts";
import { EdgeRegistry, isLocalEdge } from "./edge_registry.ts";
import { FACTS_HEADER, SIGNATURE_HEADER } from "./relay_signature.ts";
import { ServedRequests, type ServedRequestsParts } from "./served_requests.ts";

/** The handlers of the listeners for visitors. */
interface Handlers {
  readonly http: ConnectionHandler;
  readonly https: ConnectionHandler;
}

export interface Edges {
  readonly capability: Capability;
  /** Serves requests that edges make themselves. */
  readonly answer: EdgeEndpoint["answer"];
  /**
   * Handles requests that edges forward, as if their clients had sent them here: either from all
   * edges, or only from edges on other machines.
   */
  admitting(handlers: Handlers, from: "all" | "remote"): ConnectionHandler;
  /** Returns each edge's metrics. */
  facts(): readonly EdgeFacts[];
  /** Lists the public addresses of edges on other machines. */
  readonly places: EdgeRegistry["places"];
  /** Returns the names of the edges that are connected to this node. */
  readonly present: EdgeRegistry["present"];
  /** The edges on this machine. */
  readonly local: LocalEdgeLink;
}

/** The request that asks other nodes which edges are connected to them. */
export const PRESENCE = {
  name: "edges",
  data: () => null,
  schema: z.array(z.string().max(64)).max(10_000),
} as const;

export interface EdgeFacts {
  readonly name: string;
  readonly isConnected: boolean;
  /** Whether the edge shares the platform's port. */
  readonly isLocal: boolean;
  /**
   * Number of requests that the edge served itself, by the first digit of the response status,
   * starting at 1.
   */
  readonly answers: readonly number[];
}

/** The interface between the platform and its edges on this machine. */
export interface LocalEdgeLink {
  /** Adds an edge, or gives an existing one a new key. Returns the key. */
  add(name: string): string;
  /** Called when an edge no longer follows the feed. */
  onLost: (name: string) => void;
  /** Called when clients must no longer use an edge, and when they can use that edge again. */
  onDrained: (name: string, isDrained: boolean) => void;
}

/** Response header that makes an edge send its own page. */
export const REFUSED_HEADER = "x-svc-edge-refused";

function refused(): Response {
  return new Response("The signature of the front edge is wrong, expired or already used\n", {
    status: 403,
    headers: { [REFUSED_HEADER]: "1", "cache-control": "no-store" },
  });
}

export function createEdges(
  foundation: Foundation,
  { accounts, sites, ...parts }:
    & Omit<EdgeEndpointParts, "registry" | "served" | "onLost">
    & Omit<ServedRequestsParts, "now" | "match">
    & {
      readonly accounts: Pick<AccountStore, "ownerId">;
      readonly sites: Pick<SiteDirectory, "resolve">;
    },
): Edges {
  const registry = new EdgeRegistry({ ...foundation, country: parts.country });
  const served = new ServedRequests({
    ...parts,
    now: foundation.now,
    match({ host, deploymentId }, ruleIds) {
      Promise.resolve(sites.resolve(host)).then((site) => {
        if (site?.deploymentId === deploymentId) countRules(site, ruleIds);
      }).catch(() => {/* a site that cannot be read has no counts */});
    },
  });
  const local: LocalEdgeLink = {
    add: (name) => registry.addLocal(name),
    onLost: () => {},
    onDrained: () => {},
  };
  const endpoint = new EdgeEndpoint(foundation, {
    ...parts,
    registry,
    served,
    onLost: (edge) => local.onLost(edge),
  });

  foundation.peers.answer(PRESENCE.name, z.null(), async function* () {
    yield await Promise.resolve(registry.present());
  });

  const requireOwner = async (caller: Caller) => {
    if (await accounts.ownerId() === caller.user.id) return;
    throw new Failure("forbidden", "Only the platform's owner can manage its front edges");
  };

  const admitting = (
    { http, https }: Handlers,
    from: "all" | "remote",
  ): ConnectionHandler =>
  (request, connection) => {
    const plain = connection.scheme === "https" ? https : http;
    // Reading a header from each request would cost more than everything else here.
    if (from === "remote" && registry.isEmpty) return plain(request, connection);
    const facts = request.headers.get(FACTS_HEADER);
    if (facts === null) return plain(request, connection);
    const { method, url } = request;
    const signature = request.headers.get(SIGNATURE_HEADER) ?? "";
    const target = url.slice(url.indexOf("//") + 2);
    return registry.admit({ method, target, facts, signature }).then((client) => {
      if (client === undefined) return refused();
      connection.exempt?.();
      const { ip: remoteAddress, scheme, edge: relayedBy } = client;
      const handler = scheme === "https" ? https : http;
      return handler(request, {
        remoteAddress,
        scheme,
        relayedBy,
        isRelayedHere: isLocalEdge(relayedBy),
        hold: (ended) => connection.hold(ended),
        get isGone() {
          return connection.isGone === true;
        },
      });
    });
  };

  return {
    answer: endpoint.answer,
    admitting,
    local,
    places: () => registry.places(),
    present: () => registry.present(),
    facts: () =>
      registry.list(endpoint.behind).map(({ name, state }) => ({
        name,
        isConnected: state === "connected",
        isLocal: isLocalEdge(name),
        answers: served.answersOf(name),
      })),
    capability: {
      name: "edges",
      recover: () => registry.reread(),
      async storeChanged(changed) {
        if (changed.some(([family]) => family === "front_edges")) await registry.reread();
      },
      rereadStore: () => registry.reread(),
      bindRoutes(router) {
        router.guarded(endpoints.listEdges, async (caller) => {
          await requireOwner(caller);
          return { items: registry.list(endpoint.behind) };
        });
        router.guarded(endpoints.addEdge, async (caller, { body: { name } }) => {
          await requireOwner(caller);
          const added = await registry.add(name);
          if (added !== undefined) return added;
          const reason = isLocalEdge(name)
            ? `${name} is a name of the platform's own edges`
            : `A front edge named ${name} already exists`;
          throw new Failure("conflict", reason);
        });
        router.guarded(endpoints.drainEdge, async (caller, { params, body: { isDrained } }) => {
          await requireOwner(caller);
          const { edge: name } = params;
          const isKnown = await registry.drain(name, isDrained);
          const edge = registry.list(endpoint.behind).find((each) => each.name === name);
          if (isKnown === undefined || edge === undefined) {
            throw new Failure("not_found", `There is no front edge named ${name}`);
          }
          local.onDrained(name, isDrained);
          return edge;
        });
        router.guarded(endpoints.removeEdge, async (caller, { params: { edge }, note }) => {
          await requireOwner(caller);
          const removed = await registry.remove(edge);
          if (removed === undefined) {
            throw new Failure("not_found", `There is no front edge named ${edge}`);
          }
          note({ before: { name: removed.name } });
          return undefined;
        });
      },
    },
  };
}
