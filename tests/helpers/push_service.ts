/**
 * A push service for browsers. It issues subscriptions, verifies senders (VAPID, RFC 8292), and
 * decrypts messages (RFC 8291).
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createECDH, randomBytes } from "node:crypto";
import ece from "http_ece";
import { stopServer } from "../../src/lib/stop_server.ts";

interface PushedMessage {
  readonly subscription: string;
  readonly ttl: number;
  readonly urgency: string | null;
  readonly topic: string | null;
  /** The subject that the sender must use. */
  readonly subject: string;
  readonly payload: Record<string, unknown>;
}

export interface TestPushService extends AsyncDisposable {
  readonly origin: string;
  readonly messages: PushedMessage[];
  /** The requests that were rejected, with the reasons. */
  readonly refused: string[];
  /** Sets the status and headers of all further responses for a subscription. */
  readonly answers: Map<string, { readonly status: number; readonly headers?: HeadersInit }>;
  /** Subscribes a browser. Returns the result of its `PushSubscription.toJSON()`. */
  subscribe(name: string): { endpoint: string; keys: { p256dh: string; auth: string } };
}

interface Keys {
  readonly ecdh: ReturnType<typeof createECDH>;
  readonly auth: Buffer;
}

const fromJson = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());

/** Returns the claims in a VAPID header. @throws if the header is missing or invalid */
async function checkVapid(header: string | null, facts: {
  readonly audience: string;
  readonly publicKey: string;
}): Promise<{ sub: string }> {
  const match = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), *k=([\w-]+)$/.exec(header ?? "");
  if (match === null) throw new Error(`no VAPID header: ${header}`);
  const [, head, claims, signature, key] = match;
  if (key !== facts.publicKey) throw new Error("the key differs from the browser's subscription");
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const imported = await crypto.subtle.importKey(
    "raw",
    Uint8Array.from(Buffer.from(key!, "base64url")),
    curve,
    false,
    ["verify"],
  );
  const isRight = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    imported,
    Uint8Array.from(Buffer.from(signature!, "base64url")),
    new TextEncoder().encode(`${head}.${claims}`),
  );
  if (!isRight) throw new Error("the signature is wrong");
  const { aud, exp, sub } = fromJson(claims!);
  if (fromJson(head!).alg !== "ES256") throw new Error("not ES256");
  if (aud !== facts.audience) throw new Error(`audience ${aud}`);
  const now = Date.now() / 1000;
  if (!(exp > now && exp <= now + 24 * 60 * 60)) throw new Error(`expiry ${exp}`);
  if (!/^(mailto:|https:)/.test(sub)) throw new Error(`subject ${sub}`);
  return { sub };
}

/** Creates a push service. `publicKey` is the key with which browsers subscribe. */
export function servePush(publicKey: () => string): TestPushService {
  const browsers = new Map<string, Keys>();
  const messages: PushedMessage[] = [];
  const refused: string[] = [];
  const answers: TestPushService["answers"] = new Map();
  let origin = "";
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const name = new URL(request.url).pathname.slice(1);
      const body = new Uint8Array(await request.arrayBuffer());
      const told = answers.get(name);
      if (told !== undefined) return new Response(null, told);
      try {
        const keys = browsers.get(name);
        if (keys === undefined) return new Response(null, { status: 410 });
        const { headers } = request;
        const facts = { audience: origin, publicKey: publicKey() };
        const { sub } = await checkVapid(headers.get("authorization"), facts);
        if (headers.get("content-encoding") !== "aes128gcm") throw new Error("not aes128gcm");
        if (!/^\d+$/.test(headers.get("ttl") ?? "")) throw new Error("no TTL");
        const clear: Buffer = ece.decrypt(Buffer.from(body), {
          version: "aes128gcm",
          privateKey: keys.ecdh,
          authSecret: keys.auth,
        });
        messages.push({
          subscription: name,
          ttl: Number(headers.get("ttl")),
          urgency: headers.get("urgency"),
          topic: headers.get("topic"),
          subject: sub,
          payload: JSON.parse(clear.toString()),
        });
        return new Response(null, { status: 201 });
      } catch (error) {
        refused.push(String(error));
        return new Response(null, { status: 403 });
      }
    },
  );
  origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    origin,
    messages,
    refused,
    answers,
    subscribe(name) {
      const ecdh = createECDH("prime256v1");
      ecdh.generateKeys();
      const auth = randomBytes(16);
      browsers.set(name, { ecdh, auth });
      const p256dh = ecdh.getPublicKey().toString("base64url");
      return { endpoint: `${origin}/${name}`, keys: { p256dh, auth: auth.toString("base64url") } };
    },
    async [Symbol.asyncDispose]() {
      await stopServer(server);
    },
  };
}
