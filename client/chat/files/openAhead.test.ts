import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storedBytesOf } from '../../../contract/chat/objects.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { markShut } from '../../rooms/list/roomLocks.ts'
import { sendsFile } from '../../testing/files.ts'
import { people } from '../../testing/room.ts'
import { listFiles } from '../../worker/vault/disk.ts'
import { followControl } from './openAhead.ts'
import { openedStore } from './openedFiles.ts'
import { openHeld } from './openFile.ts'

/** Requests for files, which the test answers. */
interface Asked {
  object: string
  signal: AbortSignal
  /** Answers with so many bytes, or with those that are left. */
  give: (sizeBytes?: number) => void
  fail: () => void
}
let asked: Asked[] = []
const stored = new Map<string, Blob>()

beforeEach(() => {
  vi.stubGlobal('navigator', {})
  resetRooms()
  asked = []
  stored.clear()
})
afterEach(() => {
  resetRooms()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function answersOnDemand(): void {
  vi.stubGlobal('fetch', async (address: string, { signal }: { signal: AbortSignal }) => {
    const object = address.split(/[/?]/).find((part) => stored.has(part)) ?? ''
    const sealed = new Uint8Array((await stored.get(object)?.arrayBuffer()) ?? new ArrayBuffer())
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
        asked.push({ object, signal, give, fail: () => to.error(new TypeError('network error')) })
      },
    })
    return new Response(body, { headers: { 'Content-Length': String(storedBytesOf(text.length)) } })
  })
}

const text = 'all words of it'.repeat(400)
const mouse = { pointerType: 'mouse', button: 0 }
const finger = { pointerType: 'touch', button: 0 }

async function withFiles() {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const files = [
    await sendsFile(alice, bob, { name: 'plan.pdf', text }, stored),
    await sendsFile(alice, bob, { name: 'more.pdf', text }, stored),
  ] as const
  await refreshRooms(alice.env)
  const room = alice.room(bob)
  await alice.core.dropKept([room.id])
  answersOnDemand()
  const [held, other] = [
    { chatRoomId: room.id, file: files[0] },
    { chatRoomId: room.id, file: files[1] },
  ]
  const opens = async (one = held) => await (await openHeld(alice.env, one)).text()
  const kept = async () => (await alice.core.keptFiles()).rooms
  return { alice, room, held, other, opens, kept, control: followControl(alice.env, () => held) }
}

/** What has come is shown from time to time. */
function passTime(): void {
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 1000)
}

const requests = (count: number) => vi.waitUntil(() => asked.length === count)

test('A file whose control the pointer rests on is opened by the time it is pressed: fetched once, kept, and nothing shows it before', async () => {
  const { held, opens, kept, control } = await withFiles()
  const shown: object[] = []
  const unsubscribe = openedStore.subscribe(({ parts }) => void shown.push(parts))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  control.handlers.onPointerMove(finger)
  await vi.advanceTimersByTimeAsync(1000)
  control.handlers.onPointerMove(mouse)
  await vi.advanceTimersByTimeAsync(50)
  control.handlers.onPointerLeave()
  await vi.advanceTimersByTimeAsync(1000)
  expect(vi.getTimerCount()).toBe(0)
  control.handlers.onPointerMove(mouse)
  await vi.advanceTimersByTimeAsync(1000)
  vi.useRealTimers()
  await requests(1)
  passTime()
  asked[0]?.give(1000)
  asked[0]?.give()
  await expect
    .poll(async () => (await kept()).flatMap(({ files }) => files.map(({ object }) => object)))
    .toEqual([held.file.object])
  control.handlers.onPointerDown(mouse)
  const before = await alicesOpenings(opens)
  unsubscribe()
  expect(before).toEqual([text, text])
  expect(shown.filter((parts) => Object.keys(parts).length > 0)).toEqual([])
  expect(asked).toHaveLength(1)
})

/** Opens it twice: what was opened ahead is handed out once, then it comes from the browser. */
const alicesOpenings = async (opens: () => Promise<string>) => [await opens(), await opens()]

test('Pressed while it comes, a file is waited for, shown, and no longer given up', async () => {
  const { held, opens, control } = await withFiles()
  control.handlers.onPointerDown(mouse)
  await requests(1)
  const opening = opens()
  const shown: (number | undefined)[] = []
  const unsubscribe = openedStore.subscribe(({ parts }) => void shown.push(parts[held.file.object]))
  control.end()
  asked[0]?.give(1000)
  passTime()
  asked[0]?.give(1000)
  await vi.waitUntil(() => shown.some((part) => part !== undefined))
  asked[0]?.give()
  expect(await opening).toBe(text)
  unsubscribe()
  expect(shown.at(-1)).toBeUndefined()
  expect(asked[0]?.signal.aborted).toBe(true)
  expect(asked).toHaveLength(1)
})

test('A press shows at once that the file is on its way, before anything has come', async () => {
  const { held, opens, control } = await withFiles()
  control.handlers.onPointerDown(finger)
  await requests(1)
  expect(openedStore.getState().parts).toEqual({})
  const opening = opens()
  expect(openedStore.getState().parts).toEqual({ [held.file.object]: 0 })
  asked[0]?.give()
  expect(await opening).toBe(text)
  expect(openedStore.getState().parts).toEqual({})
})

test('Who closes the account while a pressed file comes is handed nothing, and nothing is kept', async () => {
  const { alice, held } = await withFiles()
  const byPage = openHeld(alice.env, held)
  await requests(1)
  asked[0]?.give(1000)
  resetRooms()
  await expect(byPage).rejects.toMatchObject({ code: 'closed' })
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

test('A file that nobody presses is given up: its request ends, nothing is kept, and pressed later it is fetched anew', async () => {
  const { held, other, opens, kept, control, alice } = await withFiles()
  const second = followControl(alice.env, () => other)
  const ways: (() => void)[] = [
    control.end,
    control.handlers.onPointerCancel,
    () => second.handlers.onPointerDown(mouse),
    resetRooms,
  ]
  for (const [at, giveUp] of ways.entries()) {
    control.handlers.onPointerDown(finger)
    await vi.waitUntil(() => asked.filter(({ object }) => object === held.file.object).length === at + 1)
    const request = asked.findLast(({ object }) => object === held.file.object)
    request?.give(2500)
    expect(request?.signal.aborted).toBe(false)
    giveUp()
    expect(request?.signal.aborted).toBe(true)
  }
  expect(await kept()).toEqual([])
  const before = asked.length
  const opening = opens()
  await requests(before + 1)
  asked.at(-1)?.give()
  expect(await opening).toBe(text)
})

test('What was opened ahead in a chat is gone once the chat is locked', async () => {
  const { alice, room, held, kept, control } = await withFiles()
  control.handlers.onPointerDown(mouse)
  await requests(1)
  asked[0]?.give()
  await expect.poll(kept).toHaveLength(1)
  await alice.core.dropKept([room.id])
  markShut(room)
  const opening = openHeld(alice.env, held)
  await requests(2)
  asked[1]?.give()
  expect(await (await opening).text()).toBe(text)
})

test('An early opening that fails is told of by nothing; the press tries anew, and tells', async () => {
  const { alice, held, opens, control } = await withFiles()
  const failing = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')))
  vi.stubGlobal('fetch', failing)
  control.handlers.onFocus({ currentTarget: { matches: () => true } })
  // At the bucket and at the server.
  await vi.waitUntil(() => failing.mock.calls.length === 2)
  await new Promise((resolve) => setTimeout(resolve))
  await expect(opens()).rejects.toMatchObject({ code: 'offline' })
  expect(failing).toHaveBeenCalledTimes(4)
  answersOnDemand()
  const opening = openHeld(alice.env, held)
  await requests(1)
  asked[0]?.give()
  expect(await (await opening).text()).toBe(text)
})

test('Who has told the browser to save data fetches nothing before the press', async () => {
  const { alice, opens, control } = await withFiles()
  vi.stubGlobal('navigator', { connection: { saveData: true } })
  const openFile = vi.spyOn(alice.env.crypto, 'openFile')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  control.handlers.onPointerMove(mouse)
  control.handlers.onPointerDown(mouse)
  control.handlers.onFocus({ currentTarget: { matches: () => true } })
  await vi.advanceTimersByTimeAsync(1000)
  vi.useRealTimers()
  expect(openFile).not.toHaveBeenCalled()
  const opening = opens()
  await requests(1)
  asked[0]?.give()
  expect(await opening).toBe(text)
})
