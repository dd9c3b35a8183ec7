/** @module The facts that the edge would know about a client. */
import type { Device } from "../../rules/mod.ts";

export interface ClientFacts {
  readonly country: string | undefined;
  readonly asn: number | undefined;
  readonly device: Device | undefined;
}

/** Derives the facts about a client from its IP address and `User-Agent`, as the edge does. */
export interface ClientLookup {
  clientFacts(client: { readonly ip: string; readonly userAgent: string | null }): ClientFacts;
}
