/**
 * The entry of an edge thread.
 *
 * @module
 */
import { BatchPort, type Endpoint } from "./batch_port.ts";
import { EdgeThread } from "./edge_thread.ts";
import type { ToPlatform, ToThread } from "./wire.ts";

const scope = globalThis as unknown as Endpoint & {
  onmessage: ((event: MessageEvent<readonly ToThread[]>) => void) | null;
};
const port = new BatchPort<ToPlatform>(scope);
const send = (message: ToPlatform) => port.send(message);
let thread: EdgeThread | undefined;

function begin(start: Extract<ToThread, { readonly type: "start" }>): void {
  thread = new EdgeThread(start, send);
  thread.prepare().catch(thread.fail);
}

scope.onmessage = ({ data }) => {
  for (const message of data) {
    if (message.type === "start") begin(message);
    else thread?.receive(message);
  }
};
