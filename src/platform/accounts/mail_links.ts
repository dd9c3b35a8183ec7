/**
 * Links in mails: made, sent, and used once.
 *
 * @module
 */
import type { Client } from "../http/client.ts";
import type { AccountMail, SendAccountMail } from "./account_mails.ts";
import type { MailLink, MailLinkStore, MailLinkType } from "./mail_link_store.ts";
import type { AccountParts } from "./parts.ts";
import { RateWindow } from "./rate_window.ts";
import { hashToken, mintToken } from "./token.ts";

/** Mails that one address is sent in an hour; further ones are left out, and nobody is told. */
const MAILS_PER_HOUR = 5;
const HOUR_MS = 60 * 60 * 1000;

export interface LinkMail {
  /** What the link is for. */
  readonly link: MailLink;
  /** Path of the page that the mail names, with `{token}` where it takes the link's token. */
  readonly path: string;
  /** What the mail says; undefined to send none, in the same time. */
  readonly mail: ((to: string, facts: { host: string; url: string }) => AccountMail) | undefined;
}

export class MailLinks {
  private readonly mails: RateWindow;

  constructor(
    private readonly parts: AccountParts,
    private readonly options: {
      readonly store: MailLinkStore;
      readonly send: SendAccountMail;
      readonly onTrouble: (message: string) => void;
    },
  ) {
    this.mails = new RateWindow({ limit: MAILS_PER_HOUR, windowMs: HOUR_MS }, parts.now);
  }

  /** Stores a link and hands its mail over, without waiting for the mail server. */
  async send(to: string, { link, path, mail }: LinkMail): Promise<void> {
    const { random, now, publicOrigin } = this.parts;
    const { store, send, onTrouble } = this.options;
    const token = mintToken("mail link", random);
    await store.add(hashToken("mail link", token), link, link.expiresAt - now());
    if (mail === undefined || this.mails.take(to) > 0) return;
    const url = `${publicOrigin}${path.replace("{token}", token)}`;
    send(mail(to, { host: new URL(publicOrigin).host, url })).catch((error) =>
      onTrouble(`Can not send a mail about an account: ${error.message}`)
    );
  }

  /** What a link is for; `undefined` where it is used, old or wrong. Wrong ones are counted. */
  async find<Type extends MailLinkType>(type: Type, token: string, client: Client) {
    const guess = this.parts.limits.begin("link", client);
    const hash = hashToken("mail link", token);
    const link = await this.options.store.find(hash, { type, now: this.parts.now() });
    if (link !== undefined) guess.succeed();
    return link;
  }

  /** Uses a link up. */
  async use<Type extends MailLinkType>(type: Type, token: string, client: Client) {
    const link = await this.find(type, token, client);
    if (link === undefined) return undefined;
    return await this.options.store.take(hashToken("mail link", token)) ? link : undefined;
  }
}
