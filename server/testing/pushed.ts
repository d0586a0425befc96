import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll } from 'vitest'

/** A request as it reached the push service. */
export interface Pushed {
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface PushService {
  /** Its origin. */
  url: string
  pushed: Pushed[]
  /** How it answers from now on; 201 at first. */
  answers(how: (response: ServerResponse) => void): void
  /** A browser that subscribes at it. */
  browser(): Subscriber
}

export interface Subscriber {
  /** What the browser posts. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } }
  /** What came for it. */
  pushed(): Pushed[]
  /** Opens a push with its keys, as RFC 8291 says. Throws where they do not fit. */
  opens(pushed: Pushed | undefined): unknown
}

/** Starts a push service on this machine. */
export async function startPushService(): Promise<PushService> {
  const pushed: Pushed[] = []
  let answer = (response: ServerResponse): void => void response.writeHead(201).end()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    pushed.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) })
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    ...{ url, pushed },
    answers(how) {
      answer = how
    },
    browser() {
      const curve = createECDH('prime256v1')
      curve.generateKeys()
      const [auth, path] = [randomBytes(16), `/wake/${randomBytes(12).toString('hex')}`]
      const keys = { p256dh: curve.getPublicKey('base64url'), auth: auth.toString('base64url') }
      return {
        subscription: { endpoint: url + path, expirationTime: null, keys },
        pushed: () => pushed.filter((each) => each.path === path),
        opens: (one) => JSON.parse(decrypt(curve, auth, one?.body ?? Buffer.alloc(0))),
      }
    },
  }
}

/** RFC 8291 section 3.4 and RFC 8188 section 2.1, for one record. */
function decrypt(curve: ReturnType<typeof createECDH>, auth: Buffer, body: Buffer): string {
  const [salt, keyChars] = [body.subarray(0, 16), body.readUInt8(20)]
  const [theirs, sealed] = [body.subarray(21, 21 + keyChars), body.subarray(21 + keyChars)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), theirs])
  const key = Buffer.from(hkdfSync('sha256', curve.computeSecret(theirs), auth, info, 32))
  const derive = (label: string, size: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, Buffer.from(`Content-Encoding: ${label}\0`), size))
  const opened = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  opened.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** Returns the claims of a request's VAPID token if the key signed it (RFC 8292). Throws otherwise. */
export function claimsOf({ headers }: Pushed, key: string): unknown {
  const [, token = '', shown = ''] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const isSigned = verify('sha256', signed, { key: signer, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  if (!isSigned || shown !== key) throw new Error('The token is of another server')
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}
