/**
 * A mail server that delivers nothing.
 *
 * @module
 */
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";

/** Largest mail, in bytes. */
const MAX_BYTES = 25 * 1024 * 1024;

/** What was sent, and between whom. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

async function readAll(stream: SMTPServerDataStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function sendersOf({ envelope }: SMTPServerSession): Omit<SentMail, "source"> {
  const { mailFrom, rcptTo } = envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
  };
}

/** Listens on a free port of the loopback address; takes mails of anybody who reaches it. */
export async function openMailServer(take: (mail: SentMail) => void): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: MAX_BYTES,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? "anyone" }),
    onData(stream, session, done) {
      readAll(stream).then(
        (source) => {
          take({ ...sendersOf(session), source });
          done();
        },
        (error) => done(error),
      );
    },
  });
  // Connections that break off are the sender's concern.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
