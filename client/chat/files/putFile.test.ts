import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { beginEarly } from './beginEarly.ts'
import { sendUpload } from './retryUpload.ts'
import { sealedBytes } from './sealedBytes.ts'
import { sendFile } from './sendFile.ts'
import { type Upload, uploadsStore } from './uploadsState.ts'

const MIB = 1024 * 1024

/** What becomes of a request: the part after which it is cut, or undefined if it arrives. */
let cuts: (number | undefined)[] = []
/** The addresses at which all bytes arrived. */
let arrived: string[] = []
/** The part that was shown before and after each cut. */
let shown: (number | undefined)[] = []

const partShown = () => uploadsStore.getState().uploads[0]?.part

class Request {
  upload: { onprogress?: (event: object) => void; onload?: () => void } = {}
  status = 200
  statusText = ''
  response = undefined
  address = ''
  onload: (() => void) | undefined
  onerror: (() => void) | undefined
  open(_: string, address: string) {
    this.address = address
  }
  setRequestHeader = () => undefined
  getResponseHeader = () => `"${'a'.repeat(64)}"`
  send({ size }: Blob) {
    const cut = cuts.shift()
    const says = (part: number) => this.upload.onprogress?.({ loaded: part * size, total: size, lengthComputable: true })
    setTimeout(() => {
      says(cut ?? 1)
      if (cut !== undefined) {
        shown.push(partShown())
        this.onerror?.()
        shown.push(partShown())
        return
      }
      arrived.push(this.address)
      this.upload.onload?.()
      this.onload?.()
    })
  }
}

beforeEach(() => {
  ;[cuts, arrived, shown] = [[], [], []]
  vi.stubGlobal('XMLHttpRequest', Request)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  uploadsStore.setState({ uploads: [] })
})

const FILE = { id: 'file', chatRoomId: 'room', begun: null, object: null, state: 'queued', part: 0 } as unknown as Upload

/** A page with a file that waits, and a server that keeps what has arrived. */
function waiting(sizeBytes: number) {
  const asked: string[] = []
  let objects = 0
  const sizes = new Map<string, number>()
  const answers: Record<string, (input: { partNumber?: number }) => unknown> = {
    'GET /s3/params': () => {
      objects += 1
      return { url: `/one/${objects}`, key: `object-${objects}` }
    },
    'POST /s3/multipart': () => ({ url: '/part/1', key: 'object-1', uploadId: 'upload' }),
    'GET /s3/multipart/:uploadId/:partNumber': ({ partNumber }) => ({ url: `/part/${partNumber}` }),
    'GET /s3/multipart/:uploadId': () =>
      arrived.map((address) => ({ PartNumber: Number(address.slice(6)), ETag: 'e'.repeat(64), Size: sizes.get(address) })),
    'POST /s3/multipart/:uploadId/complete': () => ({ location: '/objects/uploads/object-1' }),
    'DELETE /objects/uploads/:objectId': () => ({}),
  }
  uploadsStore.setState({ uploads: [FILE] })
  const env = {
    async api({ method, path }: { method: string; path: string }, input: { partNumber?: number }) {
      asked.push(`${method} ${path}`)
      const answer = answers[`${method} ${path}`]
      if (!answer) throw new ApiError(404, 'not_found', 'Not found')
      return answer(input)
    },
    crypto: {
      uploadBytes: async () => new Blob([new Uint8Array(sizeBytes)]),
      changeUpload: async ({ change }: { change: object }) => ({ ...FILE, ...change }),
    },
  } as unknown as Env
  return { env, asked, sizes }
}

const sends = (env: Env) => sendUpload(env, { id: 'file', chatRoomId: 'room' }, new AbortController().signal)

test('A small file that is cut begins anew: what is shown goes back to nothing, and the server keeps one of it', async () => {
  const { env, asked } = waiting(2 * MIB)
  cuts = [0.8]
  await sends(env)
  expect(shown).toEqual([0.8, 0])
  expect(arrived).toEqual(['/one/2'])
  expect(asked.filter((call) => call.startsWith('DELETE'))).toHaveLength(1)
  expect(uploadsStore.getState().uploads[0]).toMatchObject({ object: 'object-2', state: 'stored', part: 1 })
})

test('Of a large file that is cut the parts that arrived stay shown, and only the others go again', async () => {
  const { env, sizes } = waiting(10 * MIB)
  sizes.set('/part/1', 5 * MIB)
  cuts = [undefined, 0.5]
  await sends(env)
  expect(shown).toEqual([0.75, 0.5])
  expect(arrived).toEqual(['/part/1', '/part/2'])
  expect(uploadsStore.getState().uploads[0]).toMatchObject({ object: 'object-1', state: 'stored', part: 1 })
})

test('Parts go out at once; on a slow line the later one is stopped and goes again behind the first', async () => {
  const { env } = waiting(10 * MIB)
  const under = new Map<string, () => void>()
  const seen: string[] = []
  class Slow extends Request {
    onabort: (() => void) | undefined
    override send() {
      seen.push(`${this.address} goes`)
      under.set(this.address, () => {
        seen.push(`${this.address} is there`)
        this.onload?.()
      })
    }
    abort() {
      seen.push(`${this.address} is stopped`)
      this.onabort?.()
    }
  }
  vi.stubGlobal('XMLHttpRequest', Slow)
  vi.useFakeTimers()
  const fast = sends(env)
  await vi.waitUntil(() => under.size === 2, { timeout: 60_000 })
  for (const arrives of under.values()) arrives()
  await fast
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen.splice(0)).toEqual(['/part/1 goes', '/part/2 goes', '/part/1 is there', '/part/2 is there'])

  under.clear()
  uploadsStore.setState({ uploads: [FILE] })
  const slow = sends(env)
  await vi.waitUntil(() => under.size === 2, { timeout: 60_000 })
  under.delete('/part/2')
  await vi.advanceTimersByTimeAsync(1000)
  under.get('/part/1')?.()
  await vi.waitUntil(() => under.has('/part/2'), { timeout: 60_000 })
  under.get('/part/2')?.()
  await slow
  const [first, second] = ['/part/1', '/part/2']
  const begin = [`${first} goes`, `${second} goes`, `${second} is stopped`, `${first} is there`]
  expect(seen).toEqual([...begin, `${second} goes`, `${second} is there`])
  expect(uploadsStore.getState().uploads[0]).toMatchObject({ object: 'object-1', state: 'stored', part: 1 })
})

test('Through Tor a large file goes in parts of 1 MiB, two at a time: of a line that breaks only the broken part goes again, from its own bytes', async () => {
  vi.stubGlobal('location', new URL(`http://${'a'.repeat(56)}.onion/`))
  const bytes = new Uint8Array(10 * MIB + 4096).map((_, at) => (at >> 16) ^ at)
  const { env, asked } = waiting(0)
  Object.assign(env.crypto, { uploadBytes: async () => new Blob([bytes]) })
  const kept = new Map<number, Blob>()
  let [sent, underWay, most] = [0, 0, 0]
  /** The sixth request breaks when half of its bytes are gone, and so does the one that goes for it. */
  class Line extends Request {
    override send(body: Blob) {
      underWay += 1
      most = Math.max(most, underWay)
      const breaks = [6, 7].includes(++sent)
      setTimeout(() => {
        underWay -= 1
        if (breaks) return this.onerror?.()
        kept.set(Number(this.address.slice(6)), body)
        this.onload?.()
      })
    }
  }
  vi.stubGlobal('XMLHttpRequest', Line)
  const { api } = env
  Object.assign(env, {
    api: async (endpoint: { method: string; path: string }, input: never) =>
      endpoint.method === 'GET' && endpoint.path === '/s3/multipart/:uploadId'
        ? [...kept].map(([PartNumber, { size: Size }]) => ({ PartNumber, Size, ETag: 'e'.repeat(64) }))
        : await api(endpoint as never, input),
  })
  await sends(env)
  const whole = new Blob(Array.from({ length: 10 }, (_, at) => kept.get(at + 1) ?? new Blob()))
  expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
  expect([sent, kept.size, most]).toEqual([12, 10, 2])
  expect(asked.filter((call) => call === 'POST /s3/multipart')).toHaveLength(1)
})

test('What is handed out in steps of 5 MiB while it is sealed goes in parts of 1 MiB, each with its own bytes', async () => {
  const bytes = new Uint8Array(7 * MIB).map((_, at) => (at >> 16) ^ at)
  const sealedStep = async ({ at }: { at: number }) => new Blob([bytes.subarray(at * 5 * MIB, (at + 1) * 5 * MIB)])
  const bytesOf = sealedBytes({ crypto: { sealedStep } } as unknown as Env, 'id', bytes.length)
  for (const [from, to] of [
    [0, MIB],
    [4 * MIB, 5 * MIB],
    [5 * MIB, 6 * MIB],
    [4 * MIB, 7 * MIB],
  ] as const) {
    const piece = new Uint8Array(await (await bytesOf({ partNumber: 1, from, to })).arrayBuffer())
    expect(Buffer.from(piece).equals(Buffer.from(bytes.subarray(from, to)))).toBe(true)
  }
})

const odd = () => Promise.reject(new TypeError('No shape of ours'))

test('What goes wrong while the server is asked early for an object is never a rejection that nobody catches', async () => {
  const uncaught = vi.fn()
  process.on('unhandledRejection', uncaught)
  const sealedStep = async () => undefined
  expect(await beginEarly({ api: odd, crypto: { sealedStep } } as unknown as Env, 'id', 6 * MIB)?.begun).toBeUndefined()

  const crypto = {
    sealedStep,
    keepUpload: () => Promise.reject(new CryptoFailure('quota', 'This browser is full')),
  }
  const api = async ({ method }: { method: string }) => {
    if (method === 'DELETE') throw new ApiError(0, 'offline', 'The server cannot be reached')
    return { url: '/part/1', key: 'object-1', uploadId: 'upload' }
  }
  const file = new Blob([new Uint8Array(6 * MIB)])
  const about = { as: 'file' as const, name: 'plan.pdf', mediaType: 'application/pdf', caption: '' }
  const env = { api, crypto, clock: () => new Date() } as unknown as Env
  expect(await sendFile(env, undefined, 'room', { file, about })).toBe(false)
  await new Promise((resolve) => setTimeout(resolve))
  process.off('unhandledRejection', uncaught)
  expect(uncaught).not.toHaveBeenCalled()
})
