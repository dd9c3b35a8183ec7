import assert from "node:assert/strict";
import { StoreSocket } from "./store_socket.ts";

Deno.test("StoreSocket ignores an error that arrives after all listeners have been removed", () => {
  const socket = new StoreSocket();
  const heard: string[] = [];
  socket.on("error", ({ message }: Error) => heard.push(message));
  socket.on("close", () => heard.push("closed"));
  socket.emit("error", new Error("read ECONNRESET"));
  socket.removeAllListeners();
  socket.emit("error", new Error("write EBADF"));
  socket.emit("close");
  assert.deepEqual(heard, ["read ECONNRESET"]);
  socket.destroy();
});

Deno.test("StoreSocket keeps its own listener, however often the others are removed", () => {
  const socket = new StoreSocket();
  for (let time = 0; time < 20; time++) socket.removeAllListeners("close");
  assert.equal(socket.listenerCount("error"), 1);
  socket.removeAllListeners();
  assert.equal(socket.listenerCount("error"), 1);
  socket.destroy();
});
