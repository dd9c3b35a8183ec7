/** Sends emails by SMTP over a small pool of connections. @module */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import type { Transporter } from "nodemailer";
import type { SendOutcome } from "../../delivery/channel.ts";
import { judgeSmtpError } from "./smtp_outcome.ts";
import { MailSettingsError, parseSender, parseSmtpUrl, type Sender } from "./smtp_settings.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Local part of the `Message-ID`. It is the same for every attempt to send a message. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  readonly sender: Sender;
  /** Sends immediately and returns the outcome. Never rejects. */
  send(mail: Mail): Promise<SendOutcome>;
  close(): void;
}

const CONNECT_MS = 10_000;
/**
 * Servers may reply late. If the mailer gave up earlier, it could send a message twice (RFC 5321,
 * 4.5.3.2.6).
 */
const SILENCE_MS = 10 * 60 * 1000;

async function openTransport(smtpUrl: string): Promise<Transporter> {
  const { host, port, secure, startTls, verify, auth } = parseSmtpUrl(smtpUrl);
  const { createTransport } = await import("nodemailer");
  return createTransport({
    pool: true,
    maxConnections: CHANNEL_ROWS.email.limits.concurrency,
    // The queue is responsible for retries.
    maxRequeues: 0,
    host,
    port,
    secure,
    requireTLS: startTls === "required",
    ignoreTLS: startTls === "never",
    tls: { rejectUnauthorized: verify },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    auth,
  });
}

/** Creates a mailer, which connects when there is something to send. @throws {MailSettingsError} */
export function createMailer(settings: {
  readonly smtpUrl: string;
  readonly from: string;
}): Mailer {
  const sender = parseSender(settings.from);
  parseSmtpUrl(settings.smtpUrl);
  const domain = sender.address.slice(sender.address.lastIndexOf("@") + 1);
  let opening: Promise<Transporter> | undefined;
  let isClosed = false;
  return {
    sender,
    async send({ to, subject, text, html, messageId, headers }) {
      try {
        if (isClosed) throw new MailSettingsError("The mailer is closed");
        const transport = await (opening ??= openTransport(settings.smtpUrl));
        const info: unknown = await transport.sendMail({
          from: { name: sender.name, address: sender.address },
          to: { name: "", address: to },
          subject,
          text,
          html,
          ...(messageId === undefined ? {} : { messageId: `<${messageId}@${domain}>` }),
          headers: {
            // Tells automatic responders not to reply (RFC 3834).
            "Auto-Submitted": "auto-generated",
            "X-Auto-Response-Suppress": "All",
            ...headers,
          },
        });
        const response = typeof info === "object" && info !== null
          ? String(Reflect.get(info, "response") ?? "")
          : "";
        return { type: "sent", detail: response.slice(0, 200) };
      } catch (error) {
        return judgeSmtpError(error);
      }
    },
    close() {
      isClosed = true;
      opening?.then((transport) => transport.close(), () => {});
    },
  };
}
