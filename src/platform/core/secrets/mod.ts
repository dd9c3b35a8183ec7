/** Secrets: the key ring, and encryption with its keys. @module */
export {
  addKey,
  deriveBytes,
  forgetOldKeys,
  KeyFileError,
  openKeyRing,
  readKeyIds,
  readKeyRing,
} from "./key_ring.ts";
export { checkKeys, resealSettings, sealedSetting } from "./sealed_settings.ts";
export { type SealedSecret, sealedSecret, SecretBox, SecretDamagedError } from "./secret_box.ts";
