/** @module Writes to the standard streams of the process. */
import { EXIT } from "../exit_code.ts";
import type { Writer } from "../terminal/writer.ts";

/** Writes all data. A closed pipe, as in `svc logs | head`, stops the program without an error. */
export function createWriter(stream: typeof Deno.stdout): Writer {
  const encoder = new TextEncoder();
  return {
    isTerminal: stream.isTerminal(),
    columns: terminalColumns,
    write(data) {
      try {
        writeAll(stream, typeof data === "string" ? encoder.encode(data) : data);
      } catch (error) {
        if (error instanceof Deno.errors.BrokenPipe) Deno.exit(EXIT.success);
        throw error;
      }
    },
  };
}

function terminalColumns(): number | undefined {
  try {
    const { columns } = Deno.consoleSize();
    // A terminal whose size has never been set reports 0.
    return columns > 0 ? columns : undefined;
  } catch {
    return undefined;
  }
}

function writeAll(stream: typeof Deno.stdout, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.byteLength;) {
    try {
      offset += stream.writeSync(bytes.subarray(offset));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    }
  }
}
