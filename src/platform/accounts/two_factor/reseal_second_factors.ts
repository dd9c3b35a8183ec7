/** Reseals authenticators' secrets with the data directory's current key. @module */
import type { SealedSecret, SecretBox } from "../../core/secrets/mod.ts";
import { readAll } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";
import { signInRecord } from "../sign_in/sign_in_store.ts";
import { totpPlace } from "./two_factor_service.ts";
import type { RecordStore } from "../../../store/mod.ts";

/**
 * Reseals secrets that were sealed with a different key. Returns the number of resealed secrets.
 */
export async function resealSecondFactors(kv: RecordStore, box: SecretBox): Promise<number> {
  let count = 0;
  const again = async <Part extends { readonly secret: SealedSecret }>(
    part: Part | null,
    userId: string,
  ): Promise<Part | null> => {
    if (part === null) return part;
    const secret = await box.renew(part.secret, totpPlace(userId));
    if (secret === part.secret) return part;
    count++;
    return { ...part, secret };
  };
  for await (const { key, value } of readAll(kv, accountKeys.allSignIns(), signInRecord)) {
    const before = count;
    const userId = String(key.at(-1));
    const totp = await again(value.totp, userId);
    const enrolling = await again(value.enrolling, userId);
    if (count > before) await kv.set(key, { ...value, totp, enrolling });
  }
  return count;
}
