/**
 * A mail server that delivers nothing, on the loopback address.
 *
 * @module
 */
import { TextLineStream } from "../process/text_lines.ts";
import { GREETING, type SentMail, SmtpSession } from "./smtp_session.ts";

export type { SentMail } from "./smtp_session.ts";

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

async function converse(conn: Deno.Conn, take: (mail: SentMail) => void): Promise<void> {
  const writer = conn.writable.getWriter();
  const encoder = new TextEncoder();
  const say = (text: string) => writer.write(encoder.encode(`${text}\r\n`));
  const session = new SmtpSession(take);
  await say(GREETING.text);
  const lines = conn.readable.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TextLineStream(),
  );
  for await (const line of lines) {
    const reply = session.line(line);
    if (reply === undefined) continue;
    await say(reply.text);
    if (reply.end === true) return;
  }
}

/** Listens on a free port; takes mails of anybody who reaches it. */
export function openMailServer(take: (mail: SentMail) => void): MailServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const close = (conn: Deno.Conn) => {
    open.delete(conn);
    try {
      conn.close();
    } catch { /* its streams have closed it */ }
  };
  const accept = async () => {
    for await (const conn of listener) {
      open.add(conn);
      // A connection that breaks off is the sender's concern.
      void converse(conn, take).catch(() => {}).finally(() => close(conn));
    }
  };
  const ended = accept().catch(() => {});
  return {
    port: listener.addr.port,
    async close() {
      listener.close();
      for (const conn of open) close(conn);
      await ended;
    },
  };
}
