/**
 * A real SMTP server on a random port, which records the emails that it receives.
 *
 * @module
 */
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly subject: string;
  /** The plain text, decoded. */
  readonly text: string;
  /** The complete email, unparsed. */
  readonly source: string;
}

export interface Mailbox {
  /** The value for `PlatformOptions.mail`. */
  readonly url: string;
  /** Returns the next email as soon as it has arrived. */
  next(): Promise<ReceivedMail>;
}

async function readAll(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk.toString("utf8");
  return text;
}

/** Decodes quoted-printable UTF-8 (RFC 2045, 6.7). */
function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r?\n/g, "");
  return decodeURIComponent(
    joined.replace(/%/g, "%25").replace(/=([0-9A-F]{2})/g, "%$1"),
  );
}

function parse(source: string, to: readonly string[]): ReceivedMail {
  const [head, ...rest] = source.split("\r\n\r\n");
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/mi.exec(head!)?.[1] ?? "";
  const body = rest.join("\r\n\r\n");
  const quoted = /^Content-Transfer-Encoding: quoted-printable/mi.test(source);
  const text = (quoted ? decodeQuotedPrintable(body) : body).replaceAll("\r\n", "\n");
  return { to, subject: subject.replace(/\r\n[ \t]/g, " "), text, source };
}

/** Runs a test with a mail server that accepts all emails. */
export async function withMailbox(run: (mailbox: Mailbox) => Promise<void>): Promise<void> {
  const mails: ReceivedMail[] = [];
  const waiting: ((mail: ReceivedMail) => void)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      void readAll(stream).then((source) => {
        const mail = parse(source, to);
        const taker = waiting.shift();
        if (taker === undefined) mails.push(mail);
        else taker(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  try {
    await run({
      url: `smtp://127.0.0.1:${port}`,
      next: () => {
        const mail = mails.shift();
        if (mail !== undefined) return Promise.resolve(mail);
        return new Promise((resolve) => waiting.push(resolve));
      },
    });
  } finally {
    await new Promise<void>((resolve) => server.close(resolve));
  }
}
