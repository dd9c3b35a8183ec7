/** @module The messages of a build process: one line of JSON each, limited in number and length. */
import type { OutputSink } from "../types.ts";
import type { BuildEvent } from "./wire.ts";

/**
 * Maximum length of all command output that is forwarded, in characters. Further output is dropped.
 */
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Maximum length of the output that one message contains, in characters. */
const MAX_CHUNK = 64 * 1024;

export interface EventWriter {
  send(event: BuildEvent): void;
  /** Opens a stream of a command's output. */
  output(): OutputSink;
}

/** Creates a writer of events. `write` must process the whole text before it returns. */
export function createEventWriter(write: (text: string) => void): EventWriter {
  const send = (event: BuildEvent) => write(`${JSON.stringify(event)}\n`);
  let streams = 0;
  let left = MAX_OUTPUT;
  return {
    send,
    output() {
      const stream = ++streams;
      return {
        write(chunk) {
          const text = chunk.slice(0, left);
          left -= text.length;
          for (let at = 0; at < text.length; at += MAX_CHUNK) {
            send({ type: "output", stream, text: text.slice(at, at + MAX_CHUNK) });
          }
        },
        end: () => send({ type: "output_end", stream }),
      };
    },
  };
}
