/**
 * Emails that accounts need, such as the one that confirms a sign-up. They wait in the delivery
 * queue, as notifications do. Because these emails contain one-time links, they are sealed, and are
 * stored only as long as the link works.
 *
 * @module
 */
import * as z from "zod";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import type { SendAccountMail } from "../../../accounts/mod.ts";
import { type SealedSecret, sealedSecret, type SecretBox } from "../../../core/secrets/mod.ts";
import { countBelow, readAll, readRecord } from "../../../core/store/mod.ts";
import type { SendOutcome } from "../../delivery/channel.ts";
import type { RunningDeliveryQueue } from "../../delivery/delivery_queue.ts";
import type { NotificationContent } from "../../delivery/types.ts";
import { mailAsHtml, mailAsText, type MailPart } from "./mail_body.ts";
import type { Mailer } from "./mailer.ts";
import type { RecordKey, RecordStore } from "../../../../store/mod.ts";

/** Maximum number of waiting emails. More would indicate an attack. */
const MAX_WAITING = 1000;

/** How long an expired email is kept for reporting, in milliseconds. */
const KEPT_MS = 60 * 60 * 1000;

const mailText = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /**
   * Missing in emails that an older version stored, because the text of these emails contains the
   * link.
   */
  button: z.object({ label: z.string(), url: z.string() }).optional(),
});
const mailRecord = z.object({ mail: sealedSecret, expiresAt: z.number() });

/** How long undeliverable emails are shown to the operator, in milliseconds. */
const TOLD_MS = 7 * 24 * 60 * 60 * 1000;

const MAX_TOLD = 1000;

const givenUpKey = (id: string): RecordKey => ["account_mails_given_up", id];
const allGivenUp = (): RecordKey => ["account_mails_given_up"];

const mailKey = (id: string): RecordKey => ["account_mails", id];
const allMails = (): RecordKey => ["account_mails"];
const placeOf = (id: string): string => `account_mail/${id}`;

/**
 * Hides the email's content from the queue and from people. The email's dead letters belong to the
 * platform's owners.
 */
function contentOf(
  id: string,
  { createdAt, workspaceId }: { readonly createdAt: number; readonly workspaceId: string | null },
): NotificationContent {
  return {
    id,
    event: "security.new_login",
    category: "Security",
    priority: "CRITICAL",
    title: "Account email",
    body: "",
    actionUrl: null,
    createdAt,
    workspaceId,
    data: {},
  };
}

const IGNORE = "If this was not you, ignore this email.";

export function composeAccountMail({ to, subject, text, button }: z.infer<typeof mailText>) {
  const parts: MailPart[] = [
    { type: "heading", text: subject },
    { type: "text", text },
    ...(button === undefined ? [] : [
      { type: "button", ...button, isShown: true } as const,
      { type: "small", text: IGNORE } as const,
    ]),
  ];
  const body = { parts, footer: [] };
  return { to, subject, text: mailAsText(body), html: mailAsHtml(subject, body) };
}

/** Prefix for receivers of the email channel that are not accounts. */
const PREFIX = "mail:";

interface AccountMailsOptions {
  readonly kv: RecordStore;
  readonly box: SecretBox;
  readonly now: Clock;
  readonly random: Random;
  /** Returns the ID of the workspace to which dead letters belong. */
  firstWorkspace(): Promise<string | undefined>;
  onTrouble(message: string): void;
}

export class AccountMails {
  #problem: string | undefined;
  /** When the delivery of each email was abandoned, by ID. */
  #givenUp: ReadonlyMap<string, number> = new Map();

  readonly #options: AccountMailsOptions;

  constructor(options: AccountMailsOptions) {
    this.#options = options;
  }

  /**
   * Returns why emails are refused, and how many were recently abandoned, without recipients or
   * contents.
   */
  get problem(): string | undefined {
    const parts = [this.#problem, this.#describeGivenUp()].filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : parts.join("; ");
  }

  /** Loads undeliverable emails from before a restart or from another node. */
  async recover(): Promise<void> {
    const found = new Map<string, number>();
    for await (const { key, value } of readAll(this.#options.kv, allGivenUp(), z.number())) {
      found.set(String(key[1]), value);
      if (found.size === MAX_TOLD) break;
    }
    this.#givenUp = found;
  }

  /** Rereads emails that another node has abandoned or has sent after all. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    if (changed.some(([first]) => first === allGivenUp()[0])) await this.recover();
  }

  #describeGivenUp(): string | undefined {
    const times = [...this.#givenUp.values()].filter((at) => this.#options.now() - at <= TOLD_MS);
    if (times.length === 0) return undefined;
    const mails = times.length === 1 ? "1 email" : `${times.length} emails`;
    return `${mails} to accounts could not be sent, the last at ${
      new Date(Math.max(...times)).toISOString()
    }. Owners of the first workspace can see why with svc notifications dead-letters --workspace-wide`;
  }

  /**
   * Creates a function that queues an email. If there is no email, the function takes just as long.
   */
  sender(queue: () => Pick<RunningDeliveryQueue, "acceptTo">): SendAccountMail {
    const { kv, box, now, random, firstWorkspace } = this.#options;
    return async (mail, expiresAt) => {
      if (await countBelow(kv, allMails(), MAX_WAITING) >= MAX_WAITING) {
        throw new Error("Too many emails are waiting to be sent");
      }
      const id = uuidV7(now, random);
      const workspaceId = await firstWorkspace() ?? null;
      const sealed = await box.seal(JSON.stringify(mail ?? null), placeOf(id));
      const record = { mail: sealed, expiresAt };
      await kv.set(mailKey(id), record, { expireIn: expiresAt - now() + KEPT_MS });
      await queue().acceptTo({
        key: placeOf(id),
        channel: "email",
        userId: null,
        content: contentOf(id, { createdAt: now(), workspaceId }),
      }, { id: `${PREFIX}${id}`, host: "smtp" });
    };
  }

  /** Sends an email from the queue. Returns `undefined` if the receiver is an account. */
  async send(
    mailer: Mailer,
    { id: messageId, receiverId }: { readonly id: string; readonly receiverId: string },
  ): Promise<SendOutcome | undefined> {
    if (!receiverId.startsWith(PREFIX)) return undefined;
    const { kv, now } = this.#options;
    const id = receiverId.slice(PREFIX.length);
    const found = (await readRecord(kv, mailKey(id), mailRecord))?.value;
    if (found === undefined || now() >= found.expiresAt) {
      return { type: "failed", reason: "The link in it expired before the email could be sent" };
    }
    const mail = await this.#open(id, found.mail);
    const outcome = mail === null
      ? { type: "gone", reason: "Nothing was sent" } as const
      : await mailer.send({ ...composeAccountMail(mail), messageId });
    if (outcome.type === "sent" || outcome.type === "gone") {
      await kv.atomic().delete(mailKey(id)).delete(givenUpKey(id)).commit();
      if (this.#givenUp.has(id)) await this.recover();
    }
    return outcome;
  }

  /** Records the mail server's reply to any email, for monitoring. */
  note(outcome: SendOutcome): void {
    if (outcome.type === "sent") this.#problem = undefined;
    else if (outcome.type === "retry") {
      this.#problem = `emails were not delivered and will be retried: ${outcome.reason}`;
    }
  }

  /**
   * Notifies the operator of an undeliverable email, because its recipient may not have an account.
   */
  async givenUp(receiverId: string, reason: string): Promise<void> {
    if (!receiverId.startsWith(PREFIX)) return;
    const { kv, now, onTrouble } = this.#options;
    await kv.set(givenUpKey(receiverId.slice(PREFIX.length)), now(), { expireIn: TOLD_MS });
    await this.recover();
    onTrouble(
      `An email to an account was not sent: ${reason}. The recipient can request another one. To retry this one while its link works, run svc notifications resend --workspace-wide`,
    );
  }

  async #open(id: string, mail: SealedSecret): Promise<z.infer<typeof mailText> | null> {
    const text: unknown = JSON.parse(await this.#options.box.open(mail, placeOf(id)));
    return mailText.nullable().parse(text);
  }
}

/** Reseals emails that are sealed with an older key. Returns the number of resealed emails. */
export async function resealAccountMails(kv: RecordStore, box: SecretBox): Promise<number> {
  let count = 0;
  for await (const { key, value } of readAll(kv, allMails(), mailRecord)) {
    const mail = await box.renew(value.mail, placeOf(String(key.at(-1))));
    if (mail === value.mail) continue;
    const expireIn = Math.max(1, value.expiresAt + KEPT_MS - Date.now());
    await kv.set(key, { ...value, mail }, { expireIn });
    count++;
  }
  return count;
}
