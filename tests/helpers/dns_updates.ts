/**
 * A name server that applies signed updates (RFC 2136, RFC 8945) to the zone of a test's DNS
 * server. The name server verifies the signatures with its own code.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { DnsEntry } from "../../src/lib/_test_dns_server.ts";

const ADD = 1;
const REFUSED = 5;
const NOTAUTH = 9;

interface DnsUpdates {
  /** `address:port`. */
  readonly server: string;
  /** The key, in the format of `nsupdate -y`. */
  readonly key: string;
  /** The changes so far, such as `add _acme-challenge.svc.test`. */
  readonly changes: string[];
  close(): Promise<void>;
}

/** Reads a message in wire format from start to end. */
class Reading {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(size: number): number {
    this.at += size;
    return this.#bytes.readUIntBE(this.at - size, size);
  }

  take(size: number): Buffer {
    this.at += size;
    return this.#bytes.subarray(this.at - size, this.at);
  }

  name(): string {
    const labels: string[] = [];
    for (let length = this.number(1); length > 0; length = this.number(1)) {
      labels.push(this.take(length).toString("latin1"));
    }
    return labels.join(".");
  }
}

interface Update {
  readonly zone: string;
  readonly name: string;
  readonly value: string;
  readonly isAdded: boolean;
}

/** Returns the change in a message; `undefined` if the signature is invalid. */
function readUpdate(message: Buffer, secret: Buffer): Update | undefined {
  const reading = new Reading(message);
  reading.take(12);
  const zone = reading.name();
  reading.take(4);
  const name = reading.name();
  reading.take(2);
  const isAdded = reading.number(2) === ADD;
  reading.take(6);
  const value = reading.take(reading.number(1)).toString("latin1");
  const unsigned = Buffer.from(message.subarray(0, reading.at));
  unsigned.writeUInt16BE(0, 10);
  const keyStart = reading.at;
  reading.name();
  const keyName = message.subarray(keyStart, reading.at);
  const fixed = reading.take(8).subarray(2);
  reading.take(2);
  const algorithmStart = reading.at;
  reading.name();
  const algorithm = message.subarray(algorithmStart, reading.at);
  const time = reading.take(8);
  const mac = reading.take(reading.number(2));
  reading.take(2);
  const wanted = createHmac("sha256", secret)
    .update(Buffer.concat([unsigned, keyName, fixed, algorithm, time, reading.take(4)]))
    .digest();
  return mac.byteLength === wanted.byteLength && timingSafeEqual(mac, wanted)
    ? { zone, name, value, isAdded }
    : undefined;
}

function apply(names: Map<string, DnsEntry>, { name, value, isAdded }: Update): void {
  const entry = names.get(name);
  const known = typeof entry === "object" ? entry : {};
  const others = (known.TXT ?? []).filter((each) => each !== value);
  names.set(name, { ...known, TXT: isAdded ? [...others, value] : others });
}

async function answer(
  connection: Deno.Conn,
  take: (message: Buffer) => number,
): Promise<void> {
  let bytes = Buffer.alloc(0);
  while (bytes.byteLength < 2 || bytes.byteLength < 2 + bytes.readUInt16BE(0)) {
    const part = Buffer.alloc(4096);
    const count = await connection.read(part);
    if (count === null) return connection.close();
    bytes = Buffer.concat([bytes, part.subarray(0, count)]);
  }
  const reply = Buffer.from(bytes.subarray(0, 14));
  reply.writeUInt16BE(12, 0);
  reply.writeUInt16BE(0xa800 | take(bytes.subarray(2)), 4);
  reply.fill(0, 6);
  await connection.write(reply);
  connection.close();
}

/** Applies updates for one zone to `names`. */
export function startDnsUpdates(names: Map<string, DnsEntry>, zone: string): DnsUpdates {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const changes: string[] = [];
  const take = (message: Buffer): number => {
    const update = readUpdate(message, secret);
    if (update === undefined) return REFUSED;
    if (update.zone !== zone) return NOTAUTH;
    apply(names, update);
    changes.push(`${update.isAdded ? "add" : "remove"} ${update.name}`);
    return 0;
  };
  const serving = (async () => {
    for await (const connection of listener) await answer(connection, take);
  })();
  return {
    server: `127.0.0.1:${listener.addr.port}`,
    key: `hmac-sha256:svc-key:${secret.toString("base64")}`,
    changes,
    async close() {
      listener.close();
      await serving;
    },
  };
}
