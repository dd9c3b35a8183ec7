/** Security events: recorded in an append-only log when they happen, then delivered. @module */
import { type SecurityEventName, securityEventName } from "../../contract/events.ts";
import * as z from "zod";
import { type SecurityEvent } from "../../contract/security.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Client } from "../core/http/mod.ts";
import { type Page, type PageRange, readPage, RecordType } from "../core/store/mod.ts";
import { accountKeys } from "./account_keys.ts";
import { SUSPICIOUS_GUESSES } from "./guessing/guess_limits.ts";
import type { Lease, Operation, RecordKey, RecordStore } from "../../store/mod.ts";

export interface RaisedEvent {
  readonly event: SecurityEventName;
  readonly userId: string;
  readonly workspaceId?: string;
  /** A description of the event, without secrets. */
  readonly detail: string;
  readonly client: Client;
}

/** Raises an event. Resolves once the event has been logged. */
export type RaiseSecurityEvent = (event: RaisedEvent, lease?: Lease) => Promise<void>;

/** Notifies an account's owner that someone is guessing the password. */
export function reportWrongPasswords(
  raise: RaiseSecurityEvent,
  { userId, client }: { readonly userId: string; readonly client: Client },
): Promise<void> {
  const detail = `${SUSPICIOUS_GUESSES} or more wrong passwords in a row`;
  return raise({ event: "security.suspicious_activity", userId, detail, client });
}

const eventRecord = z.object({
  id: z.string(),
  event: securityEventName,
  userId: z.string(),
  workspaceId: z.string().nullable(),
  at: z.number(),
  address: z.string(),
  country: z.string().nullable(),
  detail: z.string(),
});
type SecurityEventRecord = z.infer<typeof eventRecord>;

const events = new RecordType({
  root: accountKeys.allAccountEvents(),
  schema: eventRecord,
  parts: ({ userId, id }) => [userId, id],
  indices: {
    workspace: {
      entries: ({ workspaceId, id }) =>
        workspaceId === null ? [] : [accountKeys.workspaceEvent(workspaceId, id)],
      holds: "copy",
    },
  },
});

export interface SecurityLogOptions {
  readonly kv: RecordStore;
  readonly now: Clock;
  readonly random: Random;
  /** Adds changes to the commit that logs an event. */
  readonly note?: ((operation: Operation, event: SecurityEvent) => void) | undefined;
  /** Called with each event after it has been logged. Starts notifications. */
  readonly onEvent?: (event: SecurityEvent) => void;
}

const toWire = (record: SecurityEventRecord): SecurityEvent => ({
  ...record,
  at: new Date(record.at).toISOString(),
});

export class SecurityLog {
  readonly #options: SecurityLogOptions;

  constructor(options: SecurityLogOptions) {
    this.#options = options;
  }

  readonly raise: RaiseSecurityEvent = async (
    { client, workspaceId, ...raised },
    lease,
  ) => {
    const { kv, now, random, note, onEvent } = this.#options;
    const record: SecurityEventRecord = {
      ...raised,
      id: uuidV7(now, random),
      workspaceId: workspaceId ?? null,
      at: now(),
      address: client.address,
      country: client.country(),
    };
    const operation = kv.atomic();
    events.insert(operation, record);
    note?.(operation, toWire(record));
    await operation.commit(lease);
    onEvent?.(toWire(record));
  };

  ofAccount(userId: string, page: PageRange): Promise<Page<SecurityEvent>> {
    return this.#page(accountKeys.accountEvents(userId), page);
  }

  ofWorkspace(workspaceId: string, page: PageRange): Promise<Page<SecurityEvent>> {
    return this.#page(accountKeys.workspaceEvents(workspaceId), page);
  }

  async #page(prefix: RecordKey, range: PageRange): Promise<Page<SecurityEvent>> {
    const page = await readPage(this.#options.kv, prefix, { schema: eventRecord, ...range });
    return { items: page.items.map(toWire), nextCursor: page.nextCursor };
  }
}
