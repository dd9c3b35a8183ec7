/** The inspector of a dev server, over the DevTools protocol. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startServing } from "../../helpers/dev_program.ts";

const SERVER = `const { createServer } = require("node:http");
function answer(request, response) {
  const seen = request.url;
  response.end(seen);
}
createServer(answer).listen(process.env.PORT);
`;
/** Line of `const seen`, from 0. */
const LINE = 2;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** Opens a session, and waits for events by name. */
async function openInspector() {
  const targets = await (await fetch("http://127.0.0.1:9229/json/list")).json();
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  const waiting = new Map<string, (message: Message) => void>();
  await new Promise((resolve) => socket.onopen = resolve);
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    waiting.get(message.method ?? String(message.id))?.(message);
  };
  let id = 0;
  return {
    event: (name: string) => new Promise<Message>((resolve) => waiting.set(name, resolve)),
    call(method: string, params: Record<string, unknown> = {}) {
      const answer = new Promise<Message>((resolve) => waiting.set(String(++id), resolve));
      socket.send(JSON.stringify({ id, method, params }));
      return answer;
    },
    close: () => socket.close(),
  };
}

Deno.test("dev --inspect stops the server at a breakpoint", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-inspect-" });
  await Deno.writeTextFile(join(folder, "server.cjs"), SERVER);
  const argv = ["dev", "--port", "0", "--inspect", "--command", "node server.cjs"];
  const dev = await startServing(argv, { cwd: folder });
  try {
    assert.equal(dev.told.inspector, "127.0.0.1:9229");
    const inspector = await openInspector();
    await inspector.call("Debugger.enable");
    const urlRegex = "server\\.cjs$";
    await inspector.call("Debugger.setBreakpointByUrl", { lineNumber: LINE, urlRegex });
    const paused = inspector.event("Debugger.paused");
    const answered = fetch(`http://127.0.0.1:${dev.port}/boat`).then((answer) => answer.text());
    const { params } = await paused;
    const [frame] = params!.callFrames as { functionName: string }[];
    assert.equal(frame?.functionName, "answer");
    await inspector.call("Debugger.resume");
    assert.equal(await answered, "/boat");
    inspector.close();
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    await Deno.remove(folder, { recursive: true });
  }
});
