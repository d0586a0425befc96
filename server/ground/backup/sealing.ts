import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { BackupError } from './backupError.ts'

/** SHA-256 in hex. */
export interface Measured {
  sizeBytes: number
  sha256: string
}

type Bytes = AsyncIterable<Buffer>

export async function newKeys(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}

/** Reads a file of age-keygen's form. Throws BackupError. */
export async function readIdentity(file: string): Promise<{ identity: string; recipient: string }> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new BackupError(`The identity cannot be read: ${error.message}`)
  })
  const identity = /^AGE-SECRET-KEY-1\S+/m.exec(text)?.[0]
  try {
    if (identity !== undefined) return { identity, recipient: await identityToRecipient(identity) }
  } catch {
    // The line below says it.
  }
  throw new BackupError(`${file} holds no identity: a line that begins with AGE-SECRET-KEY-1, from "npm run backup -- keys"`)
}

/** Encrypts in pieces of 64 KiB (age, version 1). */
export async function seal(bytes: Readable, recipient: string | undefined): Promise<Readable> {
  if (recipient === undefined) return bytes
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return fromWeb(await encrypter.encrypt(toWeb(bytes)))
}

/** Throws BackupError; changed or cut bytes end in an error. */
export async function unseal(bytes: Readable, identity: string | undefined): Promise<Readable> {
  if (identity === undefined) return bytes
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  try {
    return fromWeb(await decrypter.decrypt(toWeb(bytes)))
  } catch {
    bytes.destroy()
    throw new BackupError('This identity does not open the backup, or its bytes are damaged')
  }
}

// The types of Node and of the DOM name one thing twice.
const toWeb = (bytes: Readable) => Readable.toWeb(bytes) as unknown as ReadableStream<Uint8Array>
const fromWeb = (bytes: ReadableStream<Uint8Array>) => Readable.fromWeb(bytes as unknown as WebStream)

/** Resolves when the new file is on the disk. */
export async function writeMeasured(file: string, bytes: Readable): Promise<Measured> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  async function* measured(source: Bytes): Bytes {
    for await (const chunk of source) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield chunk
    }
  }
  await pipeline(bytes, measured, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
  return { sizeBytes, sha256: hash.digest('hex') }
}

export async function measure(file: string): Promise<Measured | undefined> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const chunk of createReadStream(file) as Bytes) {
      hash.update(chunk)
      sizeBytes += chunk.length
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}
