/** Creates and sends the single-use links in emails. @module */
import { addressGroup, type Client } from "../../core/http/mod.ts";
import type { AccountMail, SendAccountMail } from "./account_mails.ts";
import type { MailLink, MailLinkStore, MailLinkType } from "./mail_link_store.ts";
import type { AccountParts } from "../parts.ts";
import { RateWindow } from "../../core/access/mod.ts";
import { hashToken, mintToken } from "../credentials/token.ts";

/**
 * Maximum number of emails per hour to one recipient for each network or known browser, so nobody
 * else can use up the owner's allowance. Further emails are silently dropped.
 */
const MAILS_PER_HOUR = 5;
/** Maximum number of emails per hour to one recipient for all unknown browsers together. */
const ALL_MAILS_PER_HOUR = 20;
const HOUR_MS = 60 * 60 * 1000;

interface LinkMail {
  readonly link: MailLink;
  /** Path of the page that the email links to. `{token}` is a placeholder for the link's token. */
  readonly path: string;
  readonly client: Client;
  /** The account that the email is for; missing if there is no account yet. */
  readonly userId?: string | undefined;
  /** The text of the email; `undefined` to do the same work without sending anything. */
  readonly mail: ((to: string, facts: { host: string; url: string }) => AccountMail) | undefined;
}

interface MailLinksOptions {
  readonly store: MailLinkStore;
  readonly send: SendAccountMail;
  readonly onTrouble: (message: string) => void;
}

export class MailLinks {
  readonly #mails: RateWindow;
  readonly #allMails: RateWindow;

  readonly #parts: AccountParts;
  readonly #options: MailLinksOptions;

  constructor(parts: AccountParts, options: MailLinksOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#mails = new RateWindow({ limit: MAILS_PER_HOUR, windowMs: HOUR_MS }, parts.now);
    this.#allMails = new RateWindow({ limit: ALL_MAILS_PER_HOUR, windowMs: HOUR_MS }, parts.now);
  }

  /** Stores a link and its email without waiting for the mail server. */
  async send(to: string, { link, path, mail, ...asked }: LinkMail): Promise<void> {
    const { random, now, publicOrigin } = this.#parts;
    const { store, send, onTrouble } = this.#options;
    const token = mintToken("mail link", random);
    await store.add(hashToken("mail link", token), link, link.expiresAt - now());
    if (!await this.#mayMail(to, asked)) return;
    const url = `${publicOrigin}${path.replace("{token}", token)}`;
    const facts = { host: new URL(publicOrigin).host, url };
    await send(mail?.(to, facts), link.expiresAt).catch((error) =>
      onTrouble(`Cannot queue an email about an account: ${error.message}`)
    );
  }

  /** Counts an email. Does the same lookups whether or not there is an account. */
  async #mayMail(
    to: string,
    { client, userId }: Pick<LinkMail, "client" | "userId">,
  ): Promise<boolean> {
    const device = await this.#parts.devices.find(client.cookie, userId ?? "");
    if (device !== undefined) return this.#mails.take(`${to} ${device}`) === 0;
    const place = `${to} ${addressGroup(client.address)}`;
    if (this.#mails.take(place) > 0) return false;
    if (this.#allMails.take(to) === 0) return true;
    this.#mails.refund(place);
    return false;
  }

  /**
   * Finds a link. Returns `undefined` if the link has been used, has expired or is wrong. Counts
   * wrong tokens.
   */
  async find<Type extends MailLinkType>(type: Type, token: string, client: Client) {
    const guess = await this.#parts.limits.begin("link", client);
    const hash = hashToken("mail link", token);
    const link = await this.#options.store.find(hash, { type, now: this.#parts.now() });
    if (link !== undefined) guess.succeed();
    return link;
  }

  async use<Type extends MailLinkType>(type: Type, token: string, client: Client) {
    const link = await this.find(type, token, client);
    if (link === undefined) return undefined;
    return await this.#options.store.take(hashToken("mail link", token)) ? link : undefined;
  }
}
