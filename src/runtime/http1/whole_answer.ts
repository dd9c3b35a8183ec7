/** @module Responses that arrived in one piece. */
import { dropHopByHop } from "../../lib/hop_by_hop.ts";
import type { WholeBody } from "./byte_reader.ts";
import type { HeaderList, ResponseHead } from "./head.ts";

const encoder = new TextEncoder();

/** A response with a complete body, which becomes a stream if the reader asks for one. */
export class WholeAnswer {
  readonly status: number;
  readonly statusText: string;
  /** The header fields, without hop-by-hop fields. */
  readonly headers: HeaderList;
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;

  constructor(head: ResponseHead, readonly whole: WholeBody) {
    this.status = head.status;
    this.statusText = head.statusText;
    this.headers = dropHopByHop(head.headers);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return typeof this.whole === "string" ? encoder.encode(this.whole) : this.whole;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#body ??= new Blob([this.whole]).stream();
  }
}
