/** The URL at which other nodes reach this node. @module */
const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);

export type Interface = Pick<Deno.NetworkInterfaceInfo, "address" | "family">;

/**
 * Returns the operator's URL if there is one, otherwise the listener's. For a listener on all
 * addresses, uses the first address that is not local.
 */
export function nodeUrlOf(
  { nodeUrl, host, port }: {
    readonly nodeUrl: string | undefined;
    readonly host: string;
    readonly port: number;
  },
  interfaces: () => readonly Interface[],
): string {
  if (nodeUrl !== undefined) return new URL(nodeUrl).origin;
  const reached = ANY_ADDRESS.has(host) ? ofMachine(interfaces()) : host;
  return new URL(`http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`).origin;
}

function ofMachine(interfaces: readonly Interface[]): string {
  const isOwn = (address: string) => /^(?:127\.|169\.254\.|::1$|fe80:)/i.test(address);
  const others = interfaces.filter(({ address }) => !isOwn(address));
  const found = others.find(({ family }) => family === "IPv4") ?? others[0];
  return found?.address ?? "127.0.0.1";
}
