/**
 * A debugger that uses the DevTools protocol, with a session for the program and for each of its
 * workers.
 *
 * @module
 */
import { until } from "../../src/lib/_test_until.ts";

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

/** A stack frame of a paused thread. */
export interface Frame {
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

export interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly sourceMapURL: string;
}

/** Maximum time to wait for the program, in milliseconds. */
const PATIENCE_MS = 60_000;

function within<T>(waited: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const problem = new Error(`${what} did not arrive within ${PATIENCE_MS} ms`);
  const timer = setTimeout(() => late.reject(problem), PATIENCE_MS);
  return Promise.race([waited, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * A session with one thread. It stores the thread's events, because they may arrive before a test
 * waits for them.
 */
export class Session {
  readonly #answers = new Map<number, PromiseWithResolvers<Params>>();
  readonly #events: Message[] = [];
  #waiting: (() => void)[] = [];
  #last = 0;

  readonly #send: (message: string) => void;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  take(text: string): void {
    const message: Message = JSON.parse(text);
    if (message.id === undefined) {
      this.#events.push(message);
      for (const look of this.#waiting.splice(0)) look();
      return;
    }
    const answer = this.#answers.get(message.id);
    if (message.error === undefined) answer?.resolve(message.result ?? {});
    else answer?.reject(new Error(message.error.message));
  }

  call(method: string, params: Params = {}): Promise<Params> {
    const answer = Promise.withResolvers<Params>();
    this.#answers.set(++this.#last, answer);
    this.#send(JSON.stringify({ id: this.#last, method, params }));
    return within(answer.promise, `The response to ${method}`);
  }

  /** Waits for the first event whose name matches. Each event is returned only once. */
  async event(name: string, wanted: (params: Params) => boolean = () => true): Promise<Params> {
    for (;;) {
      const at = this.#events.findIndex(({ method, params }) =>
        method === name && wanted(params ?? {})
      );
      if (at >= 0) return this.#events.splice(at, 1)[0]!.params ?? {};
      await within(new Promise<void>((resolve) => this.#waiting.push(resolve)), name);
    }
  }

  /** Waits until the thread is paused. Returns its innermost frame. */
  async paused(): Promise<Frame> {
    const { callFrames } = await this.event("Debugger.paused");
    return (callFrames as Frame[])[0]!;
  }

  async script(wanted: (script: Script) => boolean): Promise<Script> {
    const found = await this.event(
      "Debugger.scriptParsed",
      (params) => wanted(params as unknown as Script),
    );
    return found as unknown as Script;
  }
}

export interface Inspector extends Disposable {
  readonly main: Session;
  /** Opens a session with the program's next worker, which may have started already. */
  worker(): Promise<Session>;
}

/** Attaches to the inspector at an address as soon as it is listening. */
export async function openInspector(address: string): Promise<Inspector> {
  const list = () => fetch(`http://${address}/json/list`).then((answer) => answer.json(), () => []);
  const targets = await until(list, (found) => found.length > 0);
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  await new Promise((resolve) => socket.onopen = resolve);
  const main = new Session((message) => socket.send(message));
  const workers = new Map<string, Session>();
  socket.onmessage = ({ data }) => {
    const { method, params } = JSON.parse(data) as Message;
    if (method !== "NodeWorker.receivedMessageFromWorker") return main.take(data);
    workers.get(String(params!.sessionId))?.take(String(params!.message));
  };
  return {
    main,
    async worker() {
      await main.call("NodeWorker.enable", { waitForDebuggerOnStart: false });
      const sessionId = String((await main.event("NodeWorker.attachedToWorker")).sessionId);
      const session = new Session((message) =>
        void main.call("NodeWorker.sendMessageToWorker", { sessionId, message })
      );
      workers.set(sessionId, session);
      return session;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
