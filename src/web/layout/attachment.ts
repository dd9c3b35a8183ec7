/**
 * Returns the `content-disposition` value that suggests a name for a downloaded file (RFC 6266).
 */
export const attachment = (name: string): string =>
  `attachment; filename="${name.replaceAll(/[^\w.-]+/g, "_")}"`;
