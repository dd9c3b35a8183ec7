/** @module The values that fields of a rule set can have. */

export const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;
export type Method = (typeof METHODS)[number];

export const DEVICES = ["desktop", "mobile", "tablet", "bot"] as const;
export type Device = (typeof DEVICES)[number];

export const VARY_DIMENSIONS = ["geo", "asn", "device", "header", "cookie", "query"] as const;
export type VaryDimension = (typeof VARY_DIMENSIONS)[number];

export const RATE_LIMIT_KEYS = ["ip", "ip_path", "ip_host", "host"] as const;
export type RateLimitKey = (typeof RATE_LIMIT_KEYS)[number];
