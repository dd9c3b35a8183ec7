/** Applies other nodes' changes to the shared store. @module */
import type { Capability } from "../platform/core/capability.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import type { ChangeFollower } from "../platform/core/store/mod.ts";

/** Passes changes to all capabilities. If one capability fails, the others are not affected. */
export function followStore(
  follower: ChangeFollower,
  { capabilities, foundation: { log } }: {
    readonly capabilities: readonly Capability[];
    readonly foundation: Pick<Foundation, "log">;
  },
): void {
  const forEach = async (work: (each: Capability) => Promise<void> | undefined) => {
    for (const each of capabilities) {
      try {
        await work(each);
      } catch (error) {
        const message = `${each.name} cannot apply a change from another node: ${error}`;
        log({ level: "error", message });
      }
    }
  };
  follower.start({
    onChanges: (keys) => forEach((each) => each.storeChanged?.(keys)),
    async onGap() {
      const message = "Missed changes from other nodes: reading everything again";
      log({ level: "warn", message });
      await forEach((each) => each.rereadStore?.());
    },
    onError: (error) =>
      log({ level: "warn", message: `Cannot read changes from other nodes: ${error}` }),
  });
}
