import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const COOKIE = 0x2112a442
const HEADER_BYTES = 20

export const METHOD = { binding: 1, allocate: 3, refresh: 4, send: 6, data: 7, permit: 8, bindChannel: 9 } as const
export const KIND = { request: 0x000, indication: 0x010, success: 0x100, failure: 0x110 } as const
export const ATTRIBUTE = {
  ...{ username: 0x06, integrity: 0x08, failure: 0x09, channel: 0x0c, lifetime: 0x0d, peer: 0x12, data: 0x13 },
  ...{ realm: 0x14, nonce: 0x15, relayed: 0x16, transport: 0x19, mapped: 0x20 },
} as const

export type Attribute = [type: number, value: Buffer]

export interface Address {
  address: string
  port: number
}

/** A message of STUN (RFC 8489) with the methods of TURN. */
export interface StunMessage {
  method: number
  kind: number
  transactionId: Buffer
  /** The first of each type, up to MESSAGE-INTEGRITY. Of several peers all are in `peers`. */
  attributes: Map<number, Buffer>
  peers: Address[]
  /** True if the sender knows the key; false without MESSAGE-INTEGRITY. */
  isSignedBy(key: Buffer): boolean
}

/** Returns undefined for bytes that are no message of STUN. */
export function readStun(bytes: Buffer): StunMessage | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE(4) !== COOKIE) return undefined
  if (bytes.readUInt16BE(0) > 0x3fff || bytes.readUInt16BE(2) !== bytes.length - HEADER_BYTES) return undefined
  const attributes = new Map<number, Buffer>()
  const peers: Address[] = []
  let signedBytes: number | undefined
  for (let at = HEADER_BYTES; at + 4 <= bytes.length; ) {
    const [type, size] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)]
    const value = bytes.subarray(at + 4, at + 4 + size)
    if (value.length < size) return undefined
    // What stands behind the signature is not signed.
    if (signedBytes === undefined && !attributes.has(type)) attributes.set(type, value)
    if (signedBytes === undefined && type === ATTRIBUTE.peer) peers.push(...addressOf(value))
    if (type === ATTRIBUTE.integrity) signedBytes ??= at
    at += 4 + size + padding(size)
  }
  const type = bytes.readUInt16BE(0)
  return {
    ...{
      method: type & ~KIND.failure,
      kind: type & KIND.failure,
      transactionId: bytes.subarray(8, HEADER_BYTES),
      attributes,
      peers,
    },
    isSignedBy: (key) => {
      const given = attributes.get(ATTRIBUTE.integrity)
      if (signedBytes === undefined || given?.length !== 20) return false
      return timingSafeEqual(given, signature(bytes.subarray(0, signedBytes), key))
    },
  }
}

/** Writes a message, signed if there is a key. */
export function writeStun(
  { method, kind, transactionId }: Pick<StunMessage, 'method' | 'kind' | 'transactionId'>,
  attributes: Attribute[],
  key?: Buffer,
): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16BE(method | kind, 0)
  head.writeUInt32BE(COOKIE, 4)
  const message = Buffer.concat([head, transactionId, ...attributes.map(([type, value]) => attribute(type, value))])
  if (!key) return sized(message, 0)
  return sized(Buffer.concat([message, attribute(ATTRIBUTE.integrity, signature(message, key))]), 0)
}

/** The length in the header counts the signature, which follows. */
const signature = (message: Buffer, key: Buffer): Buffer =>
  createHmac('sha1', key)
    .update(sized(Buffer.from(message), 24))
    .digest()

function sized(message: Buffer, moreBytes: number): Buffer {
  message.writeUInt16BE(message.length - HEADER_BYTES + moreBytes, 2)
  return message
}

function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value, Buffer.alloc(padding(value.length))])
}

const padding = (size: number): number => -size & 3

/** XOR-MAPPED-ADDRESS and its like, of IPv4. */
export function writeAddress({ address, port }: Address): Buffer {
  const value = Buffer.from([0, 1, 0, 0, ...address.split('.').map(Number)])
  value.writeUInt16BE(port ^ (COOKIE >>> 16), 2)
  value.writeUInt32BE((value.readUInt32BE(4) ^ COOKIE) >>> 0, 4)
  return value
}

export function addressOf(value: Buffer): Address[] {
  if (value.length !== 8 || value[1] !== 1) return []
  const plain = Buffer.alloc(4)
  plain.writeUInt32BE((value.readUInt32BE(4) ^ COOKIE) >>> 0)
  return [{ address: [...plain].join('.'), port: value.readUInt16BE(2) ^ (COOKIE >>> 16) }]
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** RFC 8489 section 9.2.2. */
export const longTermKey = (username: string, realm: string, password: string): Buffer =>
  createHash('md5').update(`${username}:${realm}:${password}`).digest()
