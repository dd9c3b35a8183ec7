/**
 * TXT records through dynamic updates (RFC 2136), signed with a shared key (TSIG, RFC 8945). BIND,
 * Knot, PowerDNS and most other name servers accept them.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac, randomInt } from "node:crypto";
import { readDnsMessage, writeDnsMessage } from "../../../lib/dns_frames.ts";
import { CHALLENGE_TTL, type DnsProvider, possibleZones } from "./dns_provider.ts";

const TIMEOUT_MS = 10_000;
/** Maximum difference between the clocks, in seconds. */
const FUDGE = 300;

const UPDATE = 5 << 11;
const CLASS = { in: 1, none: 254, any: 255 };
const TYPE = { soa: 6, txt: 16, tsig: 250 };
const CODES = [
  "NOERROR",
  "FORMERR",
  "SERVFAIL",
  "NXDOMAIN",
  "NOTIMP",
  "REFUSED",
  "YXDOMAIN",
  "YXRRSET",
  "NXRRSET",
  "NOTAUTH",
  "NOTZONE",
];

const ALGORITHMS = {
  "hmac-sha1": "sha1",
  "hmac-sha224": "sha224",
  "hmac-sha256": "sha256",
  "hmac-sha384": "sha384",
  "hmac-sha512": "sha512",
} as const;

interface TsigKey {
  readonly algorithm: keyof typeof ALGORITHMS;
  readonly name: string;
  readonly secret: Uint8Array;
}

/**
 * Parses a key in the format of `nsupdate -y`: `hmac-sha256:name:base64`, where the algorithm is
 * optional. Returns `undefined` for any other text.
 */
export function parseTsigKey(text: string): TsigKey | undefined {
  const found = /^(?:(hmac-sha\d+):)?([^:\s]+):([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  const algorithm = found?.[1] ?? "hmac-sha256";
  if (found === null || !Object.hasOwn(ALGORITHMS, algorithm)) return undefined;
  const name = found[2]!.replace(/\.$/, "").toLowerCase();
  const secret = Buffer.from(found[3]!, "base64");
  return { algorithm: algorithm as TsigKey["algorithm"], name, secret };
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a name in wire format, uncompressed and in lower case (RFC 4034, 6.2). */
function wireName(name: string): Buffer {
  const labels = name.toLowerCase().split(".").map((label) => {
    const bytes = Buffer.from(label, "latin1");
    return Buffer.concat([Buffer.from([bytes.byteLength]), bytes]);
  });
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** One change to a TXT record. */
interface TxtChange {
  readonly zone: string;
  readonly name: string;
  readonly value: string;
  readonly action: "add" | "remove";
}

function updateMessage({ zone, name, value, action }: TxtChange, id: number): Buffer {
  const text = Buffer.from(value, "latin1");
  const data = Buffer.concat([Buffer.from([text.byteLength]), text]);
  const [recordClass, ttl] = action === "add" ? [CLASS.in, CHALLENGE_TTL] : [CLASS.none, 0];
  return Buffer.concat([
    ...[id, UPDATE, 1, 0, 1, 0].map(u16),
    wireName(zone),
    u16(TYPE.soa),
    u16(CLASS.in),
    wireName(name),
    u16(TYPE.txt),
    u16(recordClass),
    u32(ttl),
    u16(data.byteLength),
    data,
  ]);
}

/** Appends the signature to a message (RFC 8945, 5.1). */
function sign(message: Buffer, key: TsigKey, seconds: number): Buffer {
  const keyName = wireName(key.name);
  const algorithm = wireName(key.algorithm);
  const time = Buffer.concat([u16(Math.floor(seconds / 2 ** 32)), u32(seconds >>> 0), u16(FUDGE)]);
  const [error, otherLength] = [u16(0), u16(0)];
  const mac = createHmac(ALGORITHMS[key.algorithm], key.secret)
    .update(Buffer.concat([
      message,
      keyName,
      u16(CLASS.any),
      u32(0),
      algorithm,
      time,
      error,
      otherLength,
    ]))
    .digest();
  const id = message.subarray(0, 2);
  const data = Buffer.concat([algorithm, time, u16(mac.byteLength), mac, id, error, otherLength]);
  const signed = Buffer.concat([
    message,
    keyName,
    u16(TYPE.tsig),
    u16(CLASS.any),
    u32(0),
    u16(data.byteLength),
    data,
  ]);
  signed.writeUInt16BE(1, 10);
  return signed;
}

/** Returns a signed update, without the TCP length prefix. */
const signedUpdate = (
  change: TxtChange,
  { key, id, seconds }: { readonly key: TsigKey; readonly id: number; readonly seconds: number },
): Buffer => sign(updateMessage(change, id), key, seconds);

async function exchange(server: Server, message: Buffer): Promise<Buffer> {
  const connection = await Deno.connect({ hostname: server.address, port: server.port });
  const late = setTimeout(() => connection.close(), TIMEOUT_MS);
  try {
    await writeDnsMessage(connection, message);
    return await readDnsMessage(connection);
  } finally {
    clearTimeout(late);
    try {
      connection.close();
    } catch { /* closed by the timeout */ }
  }
}

interface Server {
  readonly address: string;
  readonly port: number;
}

/**
 * Publishes TXT records through a name server whose responses are not verified. A forged response
 * can only make the order fail, because the platform looks up the record before the authority does.
 */
export function rfc2136(server: Server, key: TsigKey): DnsProvider {
  const where = `The name server ${server.address}:${server.port}`;
  const send = async (change: TxtChange): Promise<string> => {
    const id = randomInt(0x10000);
    const seconds = Math.floor(Date.now() / 1000);
    let answer: Buffer;
    try {
      answer = await exchange(server, signedUpdate(change, { key, id, seconds }));
    } catch (cause) {
      throw new Error(
        `${where} does not respond: ${cause instanceof Error ? cause.message : cause}`,
        {
          cause,
        },
      );
    }
    if (answer.byteLength < 12 || answer.readUInt16BE(0) !== id) {
      throw new Error(`${where} sent an unexpected response`);
    }
    const code = answer[3]! & 15;
    return CODES[code] ?? `RCODE ${code}`;
  };
  /** Tries each possible parent zone, while `nsupdate` would query for the SOA record. */
  const change = async (change: Omit<TxtChange, "zone">): Promise<void> => {
    let last = "NOTZONE";
    for (const zone of possibleZones(change.name)) {
      last = await send({ ...change, zone });
      if (last === "NOERROR") return;
      if (last !== "NOTAUTH" && last !== "NOTZONE") break;
    }
    throw new Error(`${where} refused to change ${change.name}: ${last}`);
  };
  return {
    addTxt: (name, value) => change({ name, value, action: "add" }),
    removeTxt: (name, value) => change({ name, value, action: "remove" }),
  };
}
