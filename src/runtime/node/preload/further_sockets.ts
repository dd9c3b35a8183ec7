/**
 * @module Adapts connections to additional ports. The sandbox has replaced their sockets with Unix
 * sockets, which have no type of service.
 */
import net from "node:net";

type SetTypeOfService = (this: net.Socket, tos: number) => net.Socket;

/**
 * Lets clients such as `fetch` set the type of service; otherwise, Node 24 and later would throw.
 */
export function allowTypeOfService(): void {
  const prototype = net.Socket.prototype as unknown as { setTypeOfService?: SetTypeOfService };
  const { setTypeOfService } = prototype;
  if (setTypeOfService === undefined) return;
  prototype.setTypeOfService = function (tos) {
    try {
      return setTypeOfService.call(this, tos);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === "EINVAL" && (this.remoteFamily ?? "") === "") return this;
      throw error;
    }
  };
}
