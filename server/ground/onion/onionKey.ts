import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ed25519 } from '@noble/curves/ed25519.js'
import { onionAddress } from '../../../contract/people/onion.ts'
import { OnionError, wordsOf } from './onionError.ts'

export const KEY_FILE = 'hs_ed25519_secret_key'
const PUBLIC_FILE = 'hs_ed25519_public_key'
const HEAD_BYTES = 32
const EXPANDED_BYTES = 64
/** tor's files begin with it. */
const headOf = (kind: 'secret' | 'public'): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(`== ed25519v1-${kind}: type0 ==`)
  return head
}

export interface OnionKey {
  address: string
  /** Scalar and prefix (rend-spec-v3, appendix A.2). */
  expandedKey: Buffer
}

/** A copy of this folder is a backup. */
export const onionFolder = (dataFolder: string): string => path.join(dataFolder, 'onion')

/** undefined without a key. Throws OnionError. */
export function readKey(folder: string): OnionKey | undefined {
  const file = path.join(folder, KEY_FILE)
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new OnionError(wordsOf(error, file))
  }
  const expandedKey = bytes.subarray(HEAD_BYTES)
  if (!bytes.subarray(0, HEAD_BYTES).equals(headOf('secret')) || expandedKey.length !== EXPANDED_BYTES)
    throw new OnionError(`The key of the onion service in ${file} is damaged: put your backup of it there`)
  return { address: onionAddress(publicKeyOf(expandedKey)), expandedKey }
}

/** Makes what is missing; `known` is the key of a service that runs. Throws OnionError. */
export function prepareKey(folder: string, known?: OnionKey): OnionKey {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    requirePrivate(folder)
    const found = readKey(folder)
    const key = found ?? known ?? newKey()
    if (!found) writeWhole(path.join(folder, KEY_FILE), Buffer.concat([headOf('secret'), key.expandedKey]))
    // tor reads these too. The secret alone makes them.
    keepSame(path.join(folder, PUBLIC_FILE), Buffer.concat([headOf('public'), publicKeyOf(key.expandedKey)]))
    keepSame(path.join(folder, 'hostname'), Buffer.from(`${key.address}\n`))
    return key
  } catch (error) {
    throw error instanceof OnionError ? error : new OnionError(wordsOf(error, folder))
  }
}

/** tor refuses such a folder too. */
function requirePrivate(folder: string): void {
  const { uid, mode } = statSync(folder)
  const account = process.geteuid?.()
  if (account !== undefined && uid !== account)
    throw new OnionError(`The folder of the onion key, ${folder}, belongs to another account than the one that runs Conclave`)
  if (mode & 0o077)
    throw new OnionError(
      `Other accounts may open the folder of the onion key, ${folder} (mode ${(mode & 0o777).toString(8)}): chmod 700 ${folder}`,
    )
}

function newKey(): OnionKey {
  const expandedKey = createHash('sha512').update(randomBytes(32)).digest()
  // RFC 8032 section 5.1.5.
  expandedKey.writeUInt8(expandedKey.readUInt8(0) & 248, 0)
  expandedKey.writeUInt8((expandedKey.readUInt8(31) & 63) | 64, 31)
  return { address: onionAddress(publicKeyOf(expandedKey)), expandedKey }
}

function publicKeyOf(expandedKey: Buffer): Uint8Array {
  const { Point } = ed25519
  const scalar = BigInt(`0x${Buffer.from(expandedKey.subarray(0, 32)).reverse().toString('hex')}`)
  return Point.BASE.multiply(Point.Fn.create(scalar)).toBytes()
}

function keepSame(file: string, bytes: Buffer): void {
  try {
    if (readFileSync(file).equals(bytes)) return
  } catch {
    // It is written below.
  }
  writeWhole(file, bytes)
}

/** A start that is cut short leaves no half of a key. */
function writeWhole(file: string, bytes: Buffer): void {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`
  writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx', flush: true })
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, file)
}
