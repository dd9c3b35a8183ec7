/** @module A mail server on the loopback address that delivers nothing. */
import type { AddressInfo } from "node:net";
import type { SMTPServerDataStream, SMTPServerSession } from "smtp-server";

/** Maximum size of an email, in bytes. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;

/** An email, and the addresses in its envelope. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @throws {Error} with the SMTP code 552 if an email exceeds the limit */
async function readMail(
  stream: SMTPServerDataStream,
  { envelope: { mailFrom, rcptTo } }: SMTPServerSession,
): Promise<SentMail> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  if (stream.sizeExceeded) {
    const tooLarge = new Error(`Send at most ${MAX_MAIL_BYTES} bytes`);
    throw Object.assign(tooLarge, { responseCode: 552 });
  }
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    source: new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer()),
  };
}

/** Listens on a free port, and accepts mail from anyone, signed in or not. */
export async function openMailServer(take: (mail: SentMail) => void): Promise<MailServer> {
  const { SMTPServer } = await import("smtp-server");
  const server = new SMTPServer({
    banner: "svc dev catches all mail",
    size: MAX_MAIL_BYTES,
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 0,
    onAuth: (_auth, _session, done) => done(null, { user: "anyone" }),
    onData(stream, session, done) {
      readMail(stream, session).then(take).then(() => done(), done);
    },
  });
  // A broken connection is only a problem for the sender.
  server.on("error", () => {});
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
