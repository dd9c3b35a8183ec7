/**
 * @module Finds out from an error's text why a certificate was rejected. Runtimes do not report the
 * reason anywhere else.
 */

/** Why a certificate was rejected, and what to do about it. */
export interface CertificateFault {
  /** The reason, as the end of a sentence. */
  readonly reason: string;
  readonly hint: string;
}

const TRUST = "Set DENO_CERT, NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to a PEM file with the " +
  "certificate of its authority";
const RENEW = "Renew the certificate, or correct this machine's clock";

const FAULTS: Readonly<Record<string, CertificateFault>> = {
  UnknownIssuer: { reason: "this machine does not trust its authority", hint: TRUST },
  CaUsedAsEndEntity: {
    reason: "it is a CA certificate, not a server certificate",
    hint: "Use a certificate with basicConstraints=CA:FALSE for `svc serve`",
  },
  NotValidForName: {
    reason: "it is for another name",
    hint: "Set --api-url or SVC_API_URL to a host that the certificate covers",
  },
  Expired: { reason: "it has expired", hint: RENEW },
  NotValidYet: { reason: "it is not valid yet", hint: RENEW },
};

const OTHER: CertificateFault = { reason: "it is not valid", hint: TRUST };

/** Maximum number of nested causes of an error that are examined. */
const MAX_CAUSES = 8;

/**
 * Returns the certificate problem that made a request fail, or `undefined` if the request failed
 * for another reason.
 */
export function certificateFault(error: unknown): CertificateFault | undefined {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth++, at = at.cause) {
    const said = /invalid peer certificate: (.*)/.exec(at.message)?.[1];
    if (said === undefined) continue;
    const name = Object.keys(FAULTS).find((known) => new RegExp(`\\b${known}\\b`).test(said)) ??
      (/expired/i.test(said)
        ? "Expired"
        : /not valid for name/i.test(said)
        ? "NotValidForName"
        : "");
    return FAULTS[name] ?? OTHER;
  }
  return undefined;
}
