/** WebCrypto takes no SharedArrayBuffer. */
export type Bytes = Uint8Array<ArrayBuffer>

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text)

/** Counts UTF-8 bytes of the JSON form. */
export const textBytes = (text: string): number => utf8(JSON.stringify(text)).length

/** Throws TypeError on invalid UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

/** RFC 4648 section 4, padded. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}

/** Throws for other text than base64. */
export function fromBase64(text: string): Bytes {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** RFC 4648 section 5, unpadded. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** Throws for other text than base64url. */
export const fromBase64Url = (text: string): Bytes => fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Not constant-time: for public values only. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

/** Puts its length (4 bytes, big endian) before each field. Text is UTF-8. */
export function encodeFields(...fields: (Uint8Array | string)[]): Bytes {
  const parts = fields.map((field) => (typeof field === 'string' ? utf8(field) : field))
  return concat(...parts.flatMap((part) => [uint32(part.length), part]))
}

/** Reverses `encodeFields`. Throws RangeError if a field is cut short. */
export function decodeFields(bytes: Uint8Array): Bytes[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields: Bytes[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at)
    if (end > bytes.length) throw new RangeError('A field is cut short')
    fields.push(bytes.slice(at + 4, end))
    at = end
  }
  return fields
}

function uint32(value: number): Bytes {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
