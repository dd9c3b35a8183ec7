/**
 * TLS certificates: provided by the operator, or ordered from a certificate authority (RFC 8555).
 *
 * @module
 */
export { AcmeIssuer, type AcmeOptions } from "./acme_issuer.ts";
export { CertificateService } from "./certificate_service.ts";
export { CertificateStore } from "./certificate_store.ts";
export { challenge, PendingChallenges } from "./challenges.ts";
export type { KeyPair } from "./certificate.ts";
export { Dns01Challenges, type Seen } from "./dns/dns01_challenges.ts";
export { openDnsProvider } from "./dns/open_provider.ts";
export { delegationsOf, ownServer } from "./dns/own_server.ts";
export { type ChangedNames, wildcardOf } from "./https_listener.ts";
export {
  DEFAULT_HTTPS_PORT,
  openSecureListener,
  type OrderedCertificates,
  type SecureListenerOptions,
} from "./secure_listener.ts";
export {
  CertificateFileError,
  type CertificateFiles,
  readCertificateFiles,
} from "./static_certificate.ts";
