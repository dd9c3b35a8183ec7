/**
 * The keys that identify the platform to push services (RFC 8292). The keys are created once, and
 * the private key is sealed. If the keys changed, every subscription would end.
 *
 * @module
 */
import * as z from "zod";
import { rememberRead } from "../../../../lib/remember_read.ts";
import { sealedSetting, type SecretBox } from "../../../core/secrets/mod.ts";
import type { RecordStore } from "../../../../store/mod.ts";

const vapidKeys = z.object({ publicKey: z.string(), privateKey: z.string() });
export type VapidKeys = z.infer<typeof vapidKeys>;

/** Creates a function that reads the keys, and creates them on its first call. */
export function vapidKeyReader(
  store: { readonly kv: RecordStore; readonly box: SecretBox },
): () => Promise<VapidKeys> {
  return rememberRead(async () => {
    const text = await sealedSetting(store, "vapid", async () => {
      const { default: webPush } = await import("web-push");
      return JSON.stringify(webPush.generateVAPIDKeys());
    });
    return vapidKeys.parse(JSON.parse(text));
  });
}
