/**
 * What a Node process knows about its server when it starts.
 *
 * @module
 */

export interface PreloadStart {
  /** Absolute path of the deployment's folder. */
  readonly directory: string;
  /** Absolute path of the entry. */
  readonly entry: string;
  /** Path of the Unix socket at which the server listens, whatever port it asks for. */
  readonly socket: string;
  /** Path of the Unix socket of the process that started this one. */
  readonly control: string;
  /** What the server sees as its address. */
  readonly port: number;
  readonly host: string;
}
