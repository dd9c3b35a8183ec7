/** @module A cache request, based on the facts that rules use. */
import type { Device, RequestFacts } from "../../rules/mod.ts";
import type { CacheRequest } from "./types.ts";

/** Inputs to the cache that are not facts about the request. */
interface RequestSite {
  readonly deploymentId: string;
  /** See `CacheRequest`. */
  readonly originKey?: string;
  /** The path under which a purge finds the response, if it differs from the client's path. */
  readonly path?: string | undefined;
}

/** A cache request that reads each fact only when the cache needs the fact. */
export class FactsRequest implements CacheRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly deploymentId: string;
  declare readonly originKey?: string;

  readonly #facts: RequestFacts;

  constructor(facts: RequestFacts, site: RequestSite) {
    this.#facts = facts;
    this.method = facts.method;
    this.host = facts.host;
    this.path = site.path ?? facts.path;
    this.rawQuery = facts.rawQuery;
    this.deploymentId = site.deploymentId;
    if (site.originKey !== undefined) this.originKey = site.originKey;
  }

  readonly header = (name: string): string | undefined => this.#facts.header(name);

  cookie(name: string): readonly string[] {
    return this.#facts.cookie(name);
  }

  country(): string | undefined {
    return this.#facts.country();
  }

  asn(): number | undefined {
    return this.#facts.asn();
  }

  device(): Device | undefined {
    return this.#facts.device();
  }
}
