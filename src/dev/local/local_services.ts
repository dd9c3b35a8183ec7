/** @module The services that the project's code finds through environment variables. */
import {
  createKvFetch,
  createKvHandler,
  type KvFetch,
  type LocalKv,
  openLocalKv,
} from "../../kv/mod.ts";
import { type CaughtMail, Mails } from "./caught_mail.ts";
import type { DevReport } from "../options.ts";
import { LocalForms, type LocalSubmission } from "./local_forms.ts";
import { type LocalQueues, openLocalQueues } from "./local_queues.ts";
import { openMailServer } from "./mail_server.ts";
import { stopServer } from "../../lib/stop_server.ts";

const HOST = "127.0.0.1";
const TOKEN_BYTES = 24;

export interface LocalServices {
  readonly kv: LocalKv;
  readonly queues: LocalQueues;
  /** Handles requests from functions to the key-value store and the queues. */
  readonly kvFetch: KvFetch;
  readonly mails: Mails;
  readonly forms: LocalForms;
  /** Environment variables that tell the code where the services are. */
  readonly variables: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** Serves the store and the queues to clients with the token. */
function serveKv(
  { kv, queues }: Pick<LocalServices, "kv" | "queues">,
  token: string,
  onTrouble: (message: string) => void,
) {
  const handler = createKvHandler({
    store: kv.store,
    ownerOf: (given) => given === token ? kv.namespace : undefined,
    namespaceOf: (namespace) => namespace,
    answerOther: (_, request) => queues.answer(request),
    onTrouble,
  });
  return Deno.serve({ hostname: HOST, port: 0, onListen() {} }, handler);
}

/**
 * Opens the services. The store is in the folder for local data.
 *
 * @throws {LocalKvError} if the store cannot be opened
 */
export async function openLocalServices(
  { dataDir, url, say, onMail, onSubmission }: {
    readonly dataDir: string;
    /** URL of the site for browsers. */
    readonly url: string;
    readonly say: DevReport["say"];
    readonly onMail: (mail: CaughtMail) => void;
    readonly onSubmission: (submission: LocalSubmission) => void;
  },
): Promise<LocalServices> {
  const onTrouble = (message: string) => say("warn", message);
  const kv = await openLocalKv(dataDir);
  const queues = await openLocalQueues(url, say);
  const token = `svckv_${crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex()}`;
  const served = serveKv({ kv, queues }, token, onTrouble);
  const storeUrl = `http://${HOST}:${served.addr.port}`;
  const mails = new Mails();
  const mail = await openMailServer((sent) => onMail(mails.add({ ...sent, time: Date.now() })));
  return {
    kv,
    queues,
    kvFetch: createKvFetch({ ...kv, answerOther: queues.answer, onTrouble }),
    mails,
    forms: new LocalForms(dataDir, onSubmission),
    ports: [served.addr.port, mail.port],
    variables: {
      SVC_KV_URL: storeUrl,
      SVC_KV_TOKEN: token,
      SVC_QUEUE_URL: `${storeUrl}/v1/queues`,
      SVC_QUEUE_TOKEN: token,
      SVC_QUEUE_SECRET: queues.secret,
      SMTP_URL: `smtp://${HOST}:${mail.port}`,
      SMTP_HOST: HOST,
      SMTP_PORT: String(mail.port),
      SMTP_SECURE: "false",
    },
    async close() {
      await queues.close();
      await Promise.all([stopServer(served), mail.close()]);
      kv.close();
    },
  };
}
