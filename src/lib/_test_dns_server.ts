/**
 * A real DNS server on loopback, over UDP and TCP, whose zone tests write.
 *
 * @module
 */
import { createTCPServer, createUDPServer, type DnsHandler, Packet } from "dns2";
import { listening, onUnusedPort } from "./_test_same_port.ts";

/** The server's response for a name: records by type, or a failure. */
export type DnsEntry =
  | Readonly<Partial<Record<"TXT" | "CNAME" | "A" | "AAAA", readonly string[]>>>
  | "SERVFAIL"
  | "REFUSED"
  | "SILENT";

export interface DnsFixture {
  /** `address:port`. */
  readonly server: string;
  /** The names that exist, in lower case; all others are NXDOMAIN. */
  readonly names: Map<string, DnsEntry>;
  /** Names that are answered in full over TCP only. */
  readonly truncated: Set<string>;
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
const RCODES = { SERVFAIL: 2, REFUSED: 5 } as const;

function resource(name: string, type: "TXT" | "CNAME" | "A" | "AAAA", value: string) {
  const base = { name, type: Packet.TYPE[type], class: Packet.CLASS.IN, ttl: 1 };
  if (type === "TXT") return { ...base, data: value.match(/.{1,255}/gs) ?? [""] };
  if (type === "CNAME") return { ...base, domain: value };
  return { ...base, address: value };
}

function addAnswers(response: Packet, name: string, type: number, names: DnsFixture["names"]) {
  const entry = names.get(name.toLowerCase());
  if (entry === undefined) response.header.rcode = 3;
  else if (entry === "SERVFAIL" || entry === "REFUSED") response.header.rcode = RCODES[entry];
  else if (entry !== "SILENT") {
    for (const kind of ["TXT", "CNAME", "A", "AAAA"] as const) {
      if (Packet.TYPE[kind] !== type) continue;
      for (const value of entry[kind] ?? []) {
        response.answers.push(resource(name, kind, value) as Packet["answers"][number]);
      }
    }
  }
}

/** Answers DNS over UDP and TCP on one port; `server` is its `address:port`. */
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
  const served = await serveDns((request, send, client) => {
    const response = Packet.createResponseFromRequest(request);
    const question = request.questions[0]!;
    if (names.get(question.name.toLowerCase()) === "SILENT") return;
    const isUdp = !("destroy" in client);
    if (isUdp && truncated.has(question.name.toLowerCase())) response.header.tc = 1;
    else addAnswers(response, question.name, question.type, names);
    send(response);
  });
  return { ...served, names, truncated };
}
