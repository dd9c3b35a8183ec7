/** @module TXT records at svc's own name server, to which the operator delegates challenges. */
import type { PendingChallenges } from "../challenges.ts";
import { describeSeen, type Seen } from "./dns01_challenges.ts";
import type { DnsProvider } from "./dns_provider.ts";

/** A record that directs resolvers to svc. */
interface Delegation {
  readonly type: "CNAME" | "NS";
  readonly name: string;
  /** Possible values of the record, one of which must exist. */
  readonly values: readonly string[];
}

/** Returns the records that the operator sets once. */
export function delegationsOf(
  domain: string,
  { alias, nameServers }: {
    /** The target of the CNAME at `_acme-challenge.<domain>`, if there is one. */
    readonly alias: string | undefined;
    readonly nameServers: readonly string[];
  },
): readonly Delegation[] {
  const challenge = `_acme-challenge.${domain}`;
  if (alias === undefined) return [{ type: "NS", name: challenge, values: nameServers }];
  return [
    { type: "CNAME", name: challenge, values: [alias] },
    { type: "NS", name: alias, values: nameServers },
  ];
}

export function ownServer(
  { records, delegations, look }: {
    readonly records: Pick<PendingChallenges, "addTxt" | "removeTxt">;
    readonly delegations: readonly Delegation[];
    /** Returns the records that resolvers find. */
    look(name: string, type: Delegation["type"]): Promise<Seen[number]>;
  },
): DnsProvider {
  return {
    async addTxt(name, value) {
      for (const { type, name, values } of delegations) {
        const seen = await look(name, type);
        if (typeof seen !== "string" && seen.some((each) => values.includes(each))) continue;
        throw new Error(
          `Expected ${type} ${name} to be ${values.join(" or ")}; ${describeSeen([seen])}. ` +
            "Set this record at your DNS provider",
        );
      }
      await records.addTxt(name, value);
    },
    removeTxt: (name, value) => records.removeTxt(name, value),
  };
}
