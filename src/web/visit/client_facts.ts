/** @module Derives facts about clients without the edge, for example to try out rules. */
import type { Device } from "../../rules/mod.ts";

export interface ClientFacts {
  readonly country: string | undefined;
  readonly asn: number | undefined;
  readonly device: Device | undefined;
}

/** Derives the same facts from a client's IP address and `User-Agent` as the edge does. */
export interface ClientLookup {
  clientFacts(client: { readonly ip: string; readonly userAgent: string | null }): ClientFacts;
}
