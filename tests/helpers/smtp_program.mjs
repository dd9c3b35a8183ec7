/**
 * A real SMTP server on Node, which smtp_server.ts starts. On Deno 2.7, it could not be the server
 * side of a TLS connection. The argument contains its settings. Each line of output is a message,
 * and each line of input is the answer to a question.
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import { createInterface } from "node:readline";
import { SMTPServer } from "smtp-server";

const { auth, tls, answerAfterMs, port } = JSON.parse(process.argv[2]);
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const asked = [];
createInterface({ input: process.stdin }).on("line", (line) => asked.shift()(JSON.parse(line)))
  .on("close", () => process.exit());

const refusal = (words) =>
  Object.assign(new Error(words.slice(4)), { responseCode: Number(words.slice(0, 3)) });

const server = new SMTPServer({
  secure: tls === "implicit",
  authOptional: auth === undefined,
  allowInsecureAuth: true,
  disabledCommands: tls === "never" ? ["STARTTLS"] : [],
  onAuth: ({ username, password }, _session, done) => {
    if (username === auth?.user && password === auth?.pass) done(null, { user: username });
    else done(refusal("535 Authentication failed"));
  },
  onRcptTo: ({ address }, _session, done) => {
    asked.push((words) => done(words === null ? null : refusal(words)));
    tell({ rcpt: address });
  },
  onData: (stream, session, done) => {
    const chunks = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("end", () => {
      const { mailFrom, rcptTo } = session.envelope;
      tell({
        mail: {
          raw: Buffer.concat(chunks).toString(),
          to: rcptTo[0]?.address ?? "",
          from: mailFrom === false ? "" : mailFrom.address,
          secure: session.secure,
          user: typeof session.user === "string" ? session.user : undefined,
        },
      });
      setTimeout(done, answerAfterMs);
    });
  },
});
server.on("error", () => {});
server.listen(port, "127.0.0.1", () => tell({ port: server.server.address().port }));
