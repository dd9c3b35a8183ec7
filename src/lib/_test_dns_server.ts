/** @module A real DNS server on loopback, over UDP and TCP. Tests define its records. */
import { createTCPServer, createUDPServer, type DnsHandler, Packet, UDPClient } from "dns2";
import { listening, onUnusedPort } from "./_test_same_port.ts";

const RECORD_KINDS = ["TXT", "CNAME", "NS", "A", "AAAA", "CAA"] as const;
type RecordKind = typeof RECORD_KINDS[number];

/** The server's response to a query for a name: records by type, or a failure. */
export type DnsEntry =
  | Readonly<Partial<Record<RecordKind, readonly string[]>>>
  | "SERVFAIL"
  | "REFUSED"
  | "SILENT";

export interface DnsFixture {
  /** `address:port`. */
  readonly server: string;
  /** The names that exist, in lower case. For all other names, the response is NXDOMAIN. */
  readonly names: Map<string, DnsEntry>;
  /** Names whose complete responses require TCP. */
  readonly truncated: Set<string>;
  /** Ports of the zones' servers on loopback. If there are any, CNAME records are followed. */
  readonly delegated: Map<string, number>;
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const RCODES = { SERVFAIL: 2, REFUSED: 5 } as const;

function resource(name: string, type: RecordKind, value: string) {
  const base = { name, type: Packet.TYPE[type], class: Packet.CLASS.IN, ttl: 1 };
  if (type === "TXT") return { ...base, data: value.match(/.{1,255}/gs) ?? [""] };
  if (type === "NS") return { ...base, ns: value };
  if (type === "CNAME") return { ...base, domain: value };
  if (type === "CAA") return { ...base, flags: 0, tag: "issue", value };
  return { ...base, address: value };
}

type Zone = Pick<DnsFixture, "names" | "delegated">;

/** Queries a zone's server. */
async function pass(response: Packet, name: string, type: number, port: number): Promise<void> {
  const ask = UDPClient({ dns: LOOPBACK, port, timeout: 1000 });
  try {
    const { header, answers } = await ask(name, Packet.TYPE_NAME[type]!);
    response.header.rcode = header.rcode;
    response.answers.push(...answers);
  } catch {
    response.header.rcode = RCODES.SERVFAIL;
  }
}

async function addAnswers(
  response: Packet,
  name: string,
  type: number,
  { names, delegated }: Zone,
): Promise<void> {
  const key = name.toLowerCase();
  const entry = names.get(key);
  const zone = [...delegated].find(([zone]) => key === zone || key.endsWith(`.${zone}`));
  const isOfParent = type === Packet.TYPE.NS && entry !== undefined;
  if (zone !== undefined && !isOfParent) return await pass(response, name, type, zone[1]);
  if (entry === undefined) response.header.rcode = 3;
  else if (entry === "SERVFAIL" || entry === "REFUSED") response.header.rcode = RCODES[entry];
  else if (entry !== "SILENT") {
    for (const kind of RECORD_KINDS) {
      const isFollowed = kind === "CNAME" && delegated.size > 0;
      if (Packet.TYPE[kind] !== type && !isFollowed) continue;
      for (const value of entry[kind] ?? []) {
        response.answers.push(resource(name, kind, value) as Packet["answers"][number]);
        if (Packet.TYPE[kind] !== type) {
          await addAnswers(response, value, type, { names, delegated });
        }
      }
    }
  }
}

/** Serves DNS over UDP and TCP on one port. `server` is its `address:port`. */
function serveDns(handle: DnsHandler): Promise<Pick<DnsFixture, "server" | "close">> {
  return onUnusedPort(async (port) => {
    const tcp = createTCPServer(handle);
    const udp = createUDPServer(handle);
    const closed = (server: typeof tcp | typeof udp) =>
      new Promise<void>((resolve) => void server.close(() => resolve()));
    await listening(tcp, () => void tcp.listen(port, LOOPBACK));
    try {
      await listening(udp, () => void udp.bind(port, LOOPBACK));
    } catch (error) {
      await closed(tcp);
      throw error;
    }
    const close = async () => void await Promise.all([closed(tcp), closed(udp)]);
    return { server: `${LOOPBACK}:${port}`, close };
  });
}

/** Starts a server for the given names. */
export async function startDns(zone: Readonly<Record<string, DnsEntry>> = {}): Promise<DnsFixture> {
  const names = new Map(Object.entries(zone));
  const truncated = new Set<string>();
  const delegated = new Map<string, number>();
  const served = await serveDns(async (request, send, client) => {
    const response = Packet.createResponseFromRequest(request);
    const question = request.questions[0]!;
    if (names.get(question.name.toLowerCase()) === "SILENT") return;
    const isUdp = !("destroy" in client);
    if (isUdp && truncated.has(question.name.toLowerCase())) response.header.tc = 1;
    else await addAnswers(response, question.name, question.type, { names, delegated });
    send(response);
  });
  return { ...served, names, truncated, delegated };
}
