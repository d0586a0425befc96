import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { markShut } from '../../rooms/list/roomLocks.ts'
import { sendsFile } from '../../testing/files.ts'
import { people } from '../../testing/room.ts'
import { listFiles } from '../../worker/vault/disk.ts'
import { openedStore } from './openedFiles.ts'
import { openHeld } from './openFile.ts'

beforeEach(resetRooms)
afterEach(() => {
  resetRooms()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const text = 'all words of it'.repeat(400)

async function withFile(words = text) {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const stored = new Map<string, Blob>()
  const file = await sendsFile(alice, bob, { name: 'plan.pdf', text: words }, stored)
  await refreshRooms(alice.env)
  await alice.core.dropKept([alice.room(bob).id])
  const sealed = new Uint8Array((await stored.get(file.object)?.arrayBuffer()) ?? new ArrayBuffer())
  return { alice, sealed, held: { chatRoomId: alice.room(bob).id, file } }
}

interface Answer {
  bytes: Uint8Array<ArrayBuffer>
  /** After how many of them the connection breaks. */
  breaksAt?: number
  status?: number
  headers?: Record<string, string>
}

/** Answers requests so, one after another. Returns the addresses and ranges that were asked for, and how many bytes were read. */
function answers(...all: Answer[]) {
  const asked: string[] = []
  let readBytes = 0
  vi.stubGlobal('fetch', async (address: string, { headers }: { headers: { Range?: string } }) => {
    asked.push(`${address.includes('from=bucket') ? 'bucket' : 'server'} ${headers.Range ?? 'all'}`)
    const answer = all.shift()
    if (!answer) throw new TypeError('Failed to fetch')
    const { bytes, breaksAt, status = 200, headers: said = { 'Content-Length': String(bytes.length) } } = answer
    let at = 0
    const body = new ReadableStream(
      {
        pull(to) {
          if (breaksAt !== undefined && at >= breaksAt) return to.error(new TypeError('network error'))
          if (at >= bytes.length) return to.close()
          const piece = bytes.slice(at, Math.min(at + 1000, breaksAt ?? bytes.length))
          at += piece.length
          readBytes += piece.length
          to.enqueue(piece)
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { status, headers: said })
  })
  return { asked, readBytes: () => readBytes }
}

test('A file whose connection breaks in the middle goes on where it broke off, and is opened and kept', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked, readBytes } = answers({ bytes: sealed, breaksAt: 2500 }, { bytes: sealed.slice(2500), status: 206 })
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
  expect(asked).toEqual(['bucket all', 'server bytes=2500-'])
  expect(readBytes()).toBe(sealed.length)
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
  expect(asked).toHaveLength(2)
})

test('A connection that breaks behind the last byte has brought the file: nothing more is asked for', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked } = answers({ bytes: sealed, breaksAt: sealed.length })
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
  expect(asked).toEqual(['bucket all'])
})

test('A server that knows no ranges answers from the beginning, and what is here already is passed over', async () => {
  const { alice, sealed, held } = await withFile()
  answers({ bytes: sealed, breaksAt: 2500 }, { bytes: sealed, headers: {} })
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
})

test('A connection that stays away is told, nothing is kept, and the next attempt begins anew', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked } = answers({ bytes: sealed, breaksAt: 2500 })
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ code: 'offline' })
  expect(openedStore.getState().parts).toEqual({})
  expect((await alice.core.keptFiles()).rooms).toEqual([])
  expect(asked).toEqual(['bucket all', 'server bytes=2500-'])
  answers({ bytes: sealed })
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
})

test('Eve answers with another length, or with a changed byte at the beginning: the file is refused, and the rest is not read', async () => {
  const { alice, sealed, held } = await withFile()
  const long = answers({ bytes: new Uint8Array(sealed.length + 1) })
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ code: 'file_size' })
  expect([long.asked, long.readBytes()]).toEqual([['bucket all'], 0])
  answers({ bytes: sealed.slice(0, -1), headers: {} })
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ code: 'file_size' })
  answers({ bytes: sealed.map((byte, at) => (at === 7 ? byte ^ 1 : byte)) })
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ code: 'file_chunk' })
  answers({ bytes: new Uint8Array(), status: 404, headers: {} })
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ status: 404 })
  expect((await alice.core.keptFiles()).rooms).toEqual([])
})

/** Answers each request with the sealed bytes when the test calls its `give`: with so many of them, or with those that are left. */
function answersOnDemand(sealed: Uint8Array<ArrayBuffer>) {
  const asked: { signal: AbortSignal; give: (sizeBytes?: number) => void }[] = []
  vi.stubGlobal('fetch', async (_address: string, { signal }: { signal: AbortSignal }) => {
    let at = 0
    const body = new ReadableStream({
      start(to) {
        signal.addEventListener('abort', () => to.error(new DOMException('The request was stopped', 'AbortError')))
        const give = (sizeBytes = sealed.length) => {
          const piece = sealed.slice(at, at + sizeBytes)
          at += piece.length
          to.enqueue(piece)
          if (at === sealed.length) to.close()
        }
        asked.push({ signal, give })
      },
    })
    return new Response(body, { headers: { 'Content-Length': String(sealed.length) } })
  })
  return { asked, requests: (count: number) => expect.poll(() => asked.length === count).toBe(true) }
}

test('A file is pressed twice while it comes: it is fetched once, and shown on its way until it is there', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked, requests } = answersOnDemand(sealed)
  const [first, second] = [openHeld(alice.env, held), openHeld(alice.env, held)]
  await requests(1)
  expect(openedStore.getState().parts).toEqual({ [held.file.object]: 0 })
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 1000)
  asked[0]?.give(1000)
  await expect.poll(() => openedStore.getState().parts[held.file.object]).toBeGreaterThan(0)
  asked[0]?.give()
  expect([await (await first).text(), await (await second).text()]).toEqual([text, text])
  expect(openedStore.getState().parts).toEqual({})
  expect(asked).toHaveLength(1)
})

test('Who closes the account while a file comes is handed nothing, and nothing is kept', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked, requests } = answersOnDemand(sealed)
  const byPage = openHeld(alice.env, held)
  await requests(1)
  asked[0]?.give(1000)
  resetRooms()
  await expect(byPage).rejects.toMatchObject({ code: 'closed' })
  expect(asked[0]?.signal.aborted).toBe(true)
  expect(openedStore.getState().parts).toEqual({})

  await refreshRooms(alice.env)
  const byWorker = openHeld(alice.env, held)
  await requests(2)
  asked[1]?.give(1000)
  await alice.core.close()
  asked[1]?.give()
  await expect(byWorker).rejects.toMatchObject({ code: 'closed' })
  const files = [...(await listFiles(alice.userId)).values()].flatMap((folder) => [...folder.keys()])
  expect(files).not.toContain(held.file.object)
})

test('Who locks a chat while a file of it comes is handed nothing', async () => {
  const { alice, sealed, held } = await withFile()
  const { asked, requests } = answersOnDemand(sealed)
  const opening = openHeld(alice.env, held)
  await requests(1)
  asked[0]?.give(1000)
  markShut({ id: held.chatRoomId })
  await expect(opening).rejects.toMatchObject({ code: 'closed' })
  expect(asked[0]?.signal.aborted).toBe(true)
})

/** A request breaks after so many bytes of its own, says nothing more then, or ends as if it were whole. */
type End = { after: number; by: 'break' | 'stall' | 'end' }

/** A server that knows ranges behind a line on which requests end so, one after another. */
function cutLine(sealed: Uint8Array<ArrayBuffer>, ends: End[]) {
  const ranges: string[] = []
  let readBytes = 0
  vi.stubGlobal('fetch', async (_: string, { headers, signal }: { headers: { Range?: string }; signal: AbortSignal }) => {
    ranges.push(headers.Range ?? 'all')
    const from = Number(/\d+/.exec(headers.Range ?? '0'))
    const { after, by } = ends.shift() ?? { after: sealed.length, by: 'break' as const }
    const until = Math.min(sealed.length, from + after)
    let at = from
    const stalls = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('The request was stopped', 'AbortError')))
    })
    stalls.catch(() => undefined)
    if (by === 'stall' && after === 0) return await stalls
    const body = new ReadableStream(
      {
        async pull(to) {
          if (at === sealed.length) return to.close()
          if (at === until && by === 'break') throw new TypeError('network error')
          if (at === until && by === 'end') return to.close()
          if (at === until) return await stalls
          const piece = sealed.slice(at, Math.min(at + 64 * 1024, until))
          at += piece.length
          readBytes += piece.length
          to.enqueue(piece)
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { status: from > 0 ? 206 : 200, headers: { 'Content-Length': String(sealed.length - from) } })
  })
  return { ranges, readBytes: () => readBytes }
}

const sha256 = async (bytes: Blob) =>
  createHash('sha256')
    .update(new Uint8Array(await bytes.arrayBuffer()))
    .digest('hex')

test('Ten megabytes through Tor that break at nine, stall twice and break again come whole: no byte is lost, and none comes twice', async () => {
  const words = 'sixteen letters '.repeat(10 * 65_536)
  const { alice, sealed, held } = await withFile(words)
  vi.stubGlobal('location', { hostname: `${'a'.repeat(56)}.onion` })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const nine = 9 * 1024 * 1024
    const { ranges, readBytes } = cutLine(sealed, [
      { after: nine, by: 'break' },
      { after: 1000, by: 'stall' },
      { after: 0, by: 'stall' },
      { after: 0, by: 'break' },
      { after: 2000, by: 'end' },
    ])
    // What is kept is written with timers, which are not real here.
    const opened = openHeld(alice.env, held, { isKept: false })
    let isOver = false
    const end = () => {
      isOver = true
    }
    opened.then(end, end)
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await sha256(await opened)).toBe(await sha256(new Blob([words])))
    const rest = [nine, nine + 1000, nine + 1000, nine + 1000, nine + 3000]
    expect(ranges).toEqual(['all', ...rest.map((from) => `bytes=${from}-`)])
    expect(readBytes()).toBe(sealed.length)
  } finally {
    vi.useRealTimers()
  }
})

test('A line that breaks again and again brings a file all the same, as long as each request brings something of it', async () => {
  const { alice, sealed, held } = await withFile()
  const { ranges, readBytes } = cutLine(
    sealed,
    Array.from({ length: 6 }, () => ({ after: 1000, by: 'break' as const })),
  )
  expect(await (await openHeld(alice.env, held)).text()).toBe(text)
  expect(ranges).toHaveLength(7)
  expect(readBytes()).toBe(sealed.length)
})

test('Eve sends one byte to each request: the file is given up after a few, and not asked for byte by byte', async () => {
  const { alice, sealed, held } = await withFile()
  const { ranges } = cutLine(
    sealed,
    Array.from(sealed, () => ({ after: 1, by: 'break' as const })),
  )
  await expect(openHeld(alice.env, held)).rejects.toMatchObject({ code: 'offline' })
  expect(ranges).toHaveLength(21)
})
