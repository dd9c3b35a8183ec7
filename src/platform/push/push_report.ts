/** The result of a push, ref by ref (gitprotocol-pack, "Report Status"). Pure. @module */
import { FLUSH, join, packet, PacketReader, packetText } from "./pkt_line.ts";
import type { RefCommand } from "./push_request.ts";

export interface PushReport {
  /** Whether git accepted the pack: `ok`, or the problem. */
  readonly unpack: string;
  /** Why each ref was refused; `undefined` for a ref that was changed. */
  readonly refs: ReadonlyMap<string, string | undefined>;
}

/** The messages that replace git's own, which give no advice. */
const EXPLAINED: Readonly<Record<string, string>> = {
  "shallow update not allowed":
    "the clone is shallow and the platform lacks its history: run `git fetch --unshallow`",
};

/** Reads git's own report. Skips option lines, which only git proxies write. */
export function readReport(bytes: Uint8Array): PushReport {
  const reader = new PacketReader();
  reader.push(bytes);
  const refs = new Map<string, string | undefined>();
  let unpack = "git did not report a result";
  for (let content = reader.take(); content; content = reader.take()) {
    const [word, ref = "", ...reason] = packetText(content).split(" ");
    if (word === "unpack") unpack = [ref, ...reason].join(" ");
    else if (word === "ok") refs.set(ref, undefined);
    else if (word === "ng") refs.set(ref, EXPLAINED[reason.join(" ")] ?? reason.join(" "));
  }
  return { unpack, refs };
}

/** Returns the report of a push that had no effect. */
export function refusalReport(
  commands: readonly RefCommand[],
  reasonOf: (ref: string) => string,
): PushReport {
  return {
    unpack: "ok",
    refs: new Map(commands.map(({ ref }) => [ref, reasonOf(ref)])),
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Encodes the report for git. */
export function writeReport({ unpack, refs }: PushReport): Uint8Array<ArrayBuffer> {
  const lines = [...refs].map(([ref, reason]) =>
    packet(reason === undefined ? `ok ${ref}\n` : `ng ${ref} ${oneLine(reason)}\n`)
  );
  return join([packet(`unpack ${oneLine(unpack)}\n`), ...lines, FLUSH]);
}
