/**
 * A client's WebSocket in an edge thread, whose messages the platform handles.
 *
 * @module
 */

/** Bytes that may wait for a client before the platform is told that they were taken. */
const HIGH_WATER_BYTES = 256 * 1024;
/** How often the backlog of a slow client is looked at, in milliseconds. */
const LOOK_MS = 10;

interface Events {
  opened(): void;
  message(data: string | Uint8Array<ArrayBuffer>): void;
  /** The client has taken that many bytes. */
  taken(bytes: number): void;
  closed(code: number, reason: string): void;
}

export class ClientSocketRelay {
  /** Bytes that were sent and not yet reported as taken. */
  #sent = 0;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly socket: WebSocket, private readonly events: Events) {
    socket.binaryType = "arraybuffer";
    socket.onopen = () => events.opened();
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      events.message(typeof data === "string" ? data : new Uint8Array(data));
    socket.onclose = ({ code, reason }) => this.#end(code, reason);
    // A failure before the socket is open emits no close event.
    socket.onerror = () => {
      if (socket.readyState !== WebSocket.OPEN) this.#end(1006, "");
    };
  }

  /** Sends a message to the client. */
  deliver(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(data);
    this.#sent += data.length;
    if (this.socket.bufferedAmount <= HIGH_WATER_BYTES) this.#report();
    else this.#looking ??= setInterval(() => this.#look(), LOOK_MS);
  }

  /** Closes the client's socket. */
  close({ code, reason }: { readonly code: number | undefined; readonly reason: string }): void {
    if (code === undefined) this.socket.close();
    else this.socket.close(code, reason);
  }

  #look(): void {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen && this.socket.bufferedAmount > HIGH_WATER_BYTES) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#report();
  }

  #report(): void {
    this.events.taken(this.#sent);
    this.#sent = 0;
  }

  #end(code: number, reason: string): void {
    clearInterval(this.#looking);
    this.events.closed(code, reason);
  }
}
