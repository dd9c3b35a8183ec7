/**
 * The services that the project's code finds by variables: its key-value store, and a
 * mail server that catches everything.
 *
 * @module
 */
import {
  createKvFetch,
  createKvHandler,
  type KvFetch,
  type LocalKv,
  openLocalKv,
} from "../../kv/mod.ts";
import { type CaughtMail, Mails } from "./caught_mail.ts";
import { LocalForms, type LocalSubmission } from "./local_forms.ts";
import { openMailServer } from "./mail_server.ts";
import { stopServer } from "../../lib/stop_server.ts";

const HOST = "127.0.0.1";
const TOKEN_BYTES = 24;

export interface LocalServices {
  readonly kv: LocalKv;
  /** Performs requests of functions to the store. */
  readonly kvFetch: KvFetch;
  readonly mails: Mails;
  readonly forms: LocalForms;
  /** Variables that name the services to the code. */
  readonly variables: Readonly<Record<string, string>>;
  /** Ports of the services. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** Serves the store to anyone who has the token. */
function serveKv(kv: LocalKv, token: string, onTrouble: (message: string) => void) {
  const handler = createKvHandler({
    store: kv.store,
    ownerOf: (given) => given === token ? kv.namespace : undefined,
    namespaceOf: (namespace) => namespace,
    onTrouble,
  });
  return Deno.serve({ hostname: HOST, port: 0, onListen() {} }, handler);
}

/**
 * Opens the services; the store is in the folder of local data.
 *
 * @throws {LocalKvError} if the store cannot be opened
 */
export async function openLocalServices(
  { dataDir, onMail, onSubmission, onTrouble }: {
    readonly dataDir: string;
    readonly onMail: (mail: CaughtMail) => void;
    readonly onSubmission: (submission: LocalSubmission) => void;
    readonly onTrouble: (message: string) => void;
  },
): Promise<LocalServices> {
  const kv = await openLocalKv(dataDir);
  const token = `svckv_${crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex()}`;
  const served = serveKv(kv, token, onTrouble);
  const mails = new Mails();
  const mail = await openMailServer((sent) => onMail(mails.add({ ...sent, time: Date.now() })));
  return {
    kv,
    kvFetch: createKvFetch({ ...kv, onTrouble }),
    mails,
    forms: new LocalForms(dataDir, onSubmission),
    ports: [served.addr.port, mail.port],
    variables: {
      SVC_KV_URL: `http://${HOST}:${served.addr.port}`,
      SVC_KV_TOKEN: token,
      SMTP_URL: `smtp://${HOST}:${mail.port}`,
      SMTP_HOST: HOST,
      SMTP_PORT: String(mail.port),
      SMTP_SECURE: "false",
    },
    async close() {
      await Promise.all([stopServer(served), mail.close()]);
      kv.close();
    },
  };
}
