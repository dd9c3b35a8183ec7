/**
 * Types for the parts of ssh2 that svc uses. ssh2's own types include a different version of Node's
 * types.
 */
import type { Buffer } from "node:buffer";
import type { EventEmitter } from "node:events";

export type Done<T> = (error: Error | undefined | null, value: T) => void;

export interface Attributes {
  isDirectory(): boolean;
}

export interface Entry {
  readonly filename: string;
  readonly attrs: Attributes;
}

export interface Sftp {
  open(path: string, flags: string, mode: number, done: Done<Buffer>): void;
  write(
    handle: Buffer,
    content: Buffer,
    offset: number,
    length: number,
    position: number,
    done: Done<void>,
  ): void;
  close(handle: Buffer, done: Done<void>): void;
  rename(from: string, to: string, done: Done<void>): void;
  unlink(path: string, done: Done<void>): void;
  mkdir(path: string, attributes: { readonly mode: number }, done: Done<void>): void;
  stat(path: string, done: Done<Attributes>): void;
  readFile(path: string, done: Done<Buffer>): void;
  readdir(path: string, done: Done<readonly Entry[]>): void;
  ext_openssh_fsync(handle: Buffer, done: Done<void>): void;
  ext_openssh_rename(from: string, to: string, done: Done<void>): void;
}

export class Client extends EventEmitter {
  connect(options: {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly privateKey: Buffer;
    readonly readyTimeout: number;
    readonly keepaliveInterval: number;
    hostVerifier(key: Buffer): boolean;
  }): void;
  setNoDelay(noDelay: boolean): void;
  sftp(done: Done<Sftp>): void;
  end(): void;
  destroy(): void;
}

declare const ssh2: {
  readonly Client: typeof Client;
  readonly utils: {
    generateKeyPairSync(type: "ed25519"): { readonly private: string; readonly public: string };
  };
};
export default ssh2;
