import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { devicesApi } from '../../contract/account/devices.ts'
import { keyPackagesApi } from '../../contract/account/keypackages.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import type { RoomPage } from '../../contract/chat/roomlist.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import type { FrameType, ServerData } from '../../contract/frames.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { CONTRACT_VERSION, LIMITS, PERIODS } from '../../contract/ground/limits.ts'
import { resetMessages, showRoom } from '../chat/messages/messages.ts'
import { messagesStore } from '../chat/messages/store.ts'
import type { Env } from '../env.ts'
import { accountStore } from '../me/account/accountState.ts'
import { closeDoor } from '../me/door/closeDoor.ts'
import { type Api, ApiError } from '../net/api.ts'
import type { Socket } from '../net/socket.ts'
import { type ConnectionState, connectionStore } from '../net/status.ts'
import { keepDraft, readDraft } from '../rooms/list/drafts.ts'
import { markDelivered } from '../rooms/list/readMarks.ts'
import { resetRooms, roomById, roomsStore } from '../rooms/list/roomList.ts'
import { onKeepDrafts } from '../rooms/list/unkeptDrafts.ts'
import { peopleStore, personById, resetPeople } from '../rooms/trust/people.ts'
import { openBrowser } from '../testing/browser.ts'
import type { TestPerson } from '../testing/people.ts'
import { ALL_SHOWN } from '../testing/privacy.ts'
import { patchedClient, people } from '../testing/room.ts'
import type { Wire } from '../testing/wire.ts'
import { CryptoFailure } from '../worker/crypto.ts'
import { inTime } from './offline.ts'
import { keepSession } from './session.ts'

/** The page of Alice's browser. One session is kept for the whole file, as for a page: each test gives it another account. */
const page = {} as Env
const report = vi.fn()
const calls: string[] = []
let underWay = 0
const listeners = new Map<FrameType, Set<(data: never) => void>>()
const socket = {
  open: vi.fn(() => queueMicrotask(() => comes('hello', hello()))),
  close: vi.fn(),
  reconnect: vi.fn(),
  isAlive: vi.fn(() => true),
  retry: vi.fn(),
  steady: vi.fn(),
  send: vi.fn(() => true),
  on: (type: FrameType, listener: (data: never) => void) => {
    listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
    return () => void listeners.get(type)?.delete(listener)
  },
}
const keyboard = new EventTarget()
const pushState = vi.fn()
let document: EventTarget & { visibilityState: string; hasFocus: () => boolean; querySelector: () => null }
/** Everything that the page asks fails like this. */
let failure: Error | undefined
/** It answers by Tor alone, so a call waits for ever, as in client/net/api.ts. */
let isShut = false
/** The server has few key packages of this browser: making all that are wanted takes half of a test's time. */
let hasFew = false

const USER = {
  ...{ displayName: 'Alice', profileImageUrl: null, isAdmin: false, subscriptionTier: 'premium' as const },
  ...{ biometricEnabled: false, email: null, onionAddress: null, hasKeys: true, deviceId: null, privacy: ALL_SHOWN },
}

beforeEach(openBrowser)
beforeEach(() => {
  document = Object.assign(new EventTarget(), { visibilityState: 'visible', hasFocus: () => false, querySelector: () => null })
  vi.stubGlobal('document', document)
  vi.stubGlobal('location', { pathname: '/', search: '', reload: vi.fn() })
  vi.stubGlobal('history', { replaceState: () => undefined, pushState })
  // Node's own removes no listener that was added with `true`.
  for (const verb of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(verb, (type: string, listener: () => void, how: AddEventListenerOptions | true) =>
      keyboard[verb](type, listener, how === true ? undefined : how),
    )
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  connects('open', null)
})
afterEach(async () => {
  accountStore.setState({ phase: 'signed_out', user: null })
  // What this page still does must not meet the next one's vault.
  await quiet()
  failure = undefined
  isShut = false
  hasFew = false
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

function connects(phase: ConnectionState['phase'], pause: ConnectionState['pause']): void {
  connectionStore.setState({ phase, pause })
  socket.isAlive.mockReturnValue(phase === 'open')
}

interface Opened {
  wire: Wire
  alice: TestPerson
  bob: TestPerson
  roomId: string
}

const LIST = `${roomsApi.list.method} ${roomsApi.list.path}`
const asked = (endpoint: Endpoint) => calls.filter((call) => call === `${endpoint.method} ${endpoint.path}`).length

/** Alice's page is open, and has caught up with what she and Bob wrote before. */
async function opened(): Promise<Opened> {
  const world = await people()
  const { alice, bob } = world
  await alice.says(bob, 'hello')
  await bob.says(alice, 'good evening')
  await alice.reads(bob)
  await opens(alice)
  await quiet()
  return world
}

/** The page is that of this browser from here on. */
async function opens({ env, core, userId, username }: TestPerson): Promise<void> {
  // Here Bob has the same stores.
  for (const reset of [resetRooms, resetMessages, resetPeople]) reset()
  const { api } = env
  const ask = async (endpoint: Endpoint, input: unknown) => {
    calls.push(`${endpoint.method} ${endpoint.path}`)
    if (failure) throw failure
    if (isShut) return await closeDoor(page, { onionAddress: null })
    if (endpoint === keyPackagesApi.left && !hasFew) return { oneTime: LIMITS.keyPackagesOneTime, hasLastResort: true }
    return await counted(api(endpoint as never, input as never))
  }
  Object.assign(page, env, {
    ...{ api: ask as Api, socket: socket as unknown as Socket, crypto: countedCrypto(core) },
  })
  accountStore.setState({ phase: 'signed_in', user: { ...USER, id: userId, username }, notice: null })
  await expect.poll(() => roomsStore.getState().status).toBe('ready')
}

/** What was begun has ended, and the count begins anew. Returns what was asked. */
async function quiet(): Promise<string[]> {
  let looks = 0
  await expect
    .poll(
      () => {
        looks = underWay === 0 ? looks + 1 : 0
        return looks
      },
      { interval: 10 },
    )
    .toBeGreaterThan(3)
  return calls.splice(0)
}

/** Counts as under way what is not answered yet. */
async function counted<T>(work: Promise<T>): Promise<T> {
  underWay += 1
  try {
    return await work
  } finally {
    underWay -= 1
  }
}

/** The same worker, and what it has not answered counts. One question stays open as long as the page. */
const countedCrypto = (crypto: Env['crypto']): Env['crypto'] =>
  new Proxy(crypto, {
    get: (verbs, name: keyof Env['crypto']) => {
      const verb = verbs[name] as (...input: unknown[]) => Promise<unknown>
      return ['untilUpdated', 'untilWiped'].includes(name) ? verb : (...input: unknown[]) => counted(verb(...input))
    },
  })

function comes<T extends FrameType>(type: T, data: ServerData[T]): void {
  for (const listener of listeners.get(type) ?? []) listener(data as never)
}

/** What Bob's browser sends without this page's stores. */
async function bobPosts({ alice, bob }: Opened, text: string) {
  const client = await patchedClient(bob, alice)
  const { id, content } = await client.seals({ content: { type: 'text', text } })
  return await client.posts(id, content)
}

const hello = (contractVersion = CONTRACT_VERSION): ServerData['hello'] => {
  return {
    contractVersion,
    ingress: 'direct',
    serverTime: new Date().toISOString(),
    onionAddress: null,
    userId: USER.displayName,
  }
}

/** A browser that its owner has just added. */
let added: TestPerson

beforeAll(async () => {
  // They sign up before the session follows the page: it is not theirs.
  const { alice, bob, eve } = await people()
  for (const other of [bob, eve]) await alice.says(other, 'hello')
  added = await alice.newComputer()
  keepSession(page, report)
})

test('A page that is signed in connects, and brings up to date what this browser has, once', async () => {
  const { alice, bob, roomId } = await opened()
  expect(socket.open).toHaveBeenCalledTimes(1)
  expect(roomById(roomId)).toMatchObject({ direct: { state: 'accepted' }, preview: { text: 'good evening' } })
  expect(personById(bob.userId)).toBeDefined()
  // Another name of the same account begins nothing anew.
  accountStore.setState({ user: { ...USER, id: alice.userId, username: 'renamed' } })
  await quiet()
  expect(socket.open).toHaveBeenCalledTimes(1)
  expect(report).not.toHaveBeenCalled()
})

test('A second start asks no address twice: the list is one answer, and what waited for the keys goes on without another', async () => {
  const { alice } = await opened()
  accountStore.setState({ phase: 'signed_out', user: null })
  await quiet()
  await opens(alice)
  const asked = (await quiet()).filter((call) => !call.includes(':'))
  expect(asked).toContain(`GET ${roomsApi.list.path}`)
  expect(asked.toSorted()).toEqual([...new Set(asked)].sort())
  expect(report).not.toHaveBeenCalled()
})

test('A new browser asks for its book and for its keys once, however many chats it has', async () => {
  await opens(added)
  const asked = await quiet()
  const once = [devicesApi.book, devicesApi.keys].map(({ method, path }) => `${method} ${path}`)
  expect(asked.filter((call) => once.includes(call)).sort()).toEqual(once.sort())
  expect(report).not.toHaveBeenCalled()
})

test('A page of which the server has few key packages left fills them up, once', async () => {
  hasFew = true
  const { wire, alice } = await opened()
  await quiet()
  expect(wire.accounts.get(alice.userId)?.packages.filter(({ isLastResort }) => !isLastResort)).toHaveLength(
    LIMITS.keyPackagesOneTime,
  )
  comes('hello', hello())
  expect((await quiet()).filter((call) => call.endsWith(keyPackagesApi.add.path))).toEqual([])
})

test('Each connection brings what was missed while there was none: the list, the keys and the plan', async () => {
  const world = await opened()
  await bobPosts(world, 'while you were away')
  comes('hello', hello())
  await expect.poll(() => roomById(world.roomId)?.preview?.text).toBe('while you were away')
  expect([asked(roomsApi.list), asked(devicesApi.keys), asked(accountApi.user)]).toEqual([1, 1, 1])
})

test('A page that is older than its server sends what waits, then loads the newer one', async () => {
  const { alice, bob, wire, roomId } = await opened()
  await alice.keeps(bob, 'not sent yet')
  const before = wire.rooms.get(roomId)?.log.length ?? 0
  const sent = vi.fn()
  vi.mocked(location.reload).mockImplementation(() => sent(wire.rooms.get(roomId)?.log.length))
  comes('hello', hello(CONTRACT_VERSION + 1))
  await expect.poll(() => sent.mock.calls).toEqual([[before + 1]])
  expect(asked(roomsApi.list)).toBe(0)
})

test('A page that is older than its server loads the newer one also where what waits cannot be sent', async () => {
  await opened()
  vi.spyOn(page.crypto, 'roomsWithOutbox').mockRejectedValueOnce(new Error('the vault'))
  comes('hello', hello(CONTRACT_VERSION + 1))
  await expect.poll(() => vi.mocked(location.reload).mock.calls.length).toBe(1)
})

test('What takes too long before a page is loaded anew is not waited for', async () => {
  vi.useFakeTimers()
  const done = inTime(new Promise<never>(() => undefined))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await done).toBeUndefined()
  expect([await inTime(Promise.resolve('in time')), vi.getTimerCount()]).toEqual(['in time', 0])
})

test('A server that names another version for ever has the page load itself once; then the page says so and asks nothing more', async () => {
  await opened()
  comes('hello', hello(CONTRACT_VERSION + 1))
  await expect.poll(() => vi.mocked(location.reload).mock.calls.length).toBe(1)
  await quiet()
  for (const version of [CONTRACT_VERSION + 1, CONTRACT_VERSION - 1, CONTRACT_VERSION + 2]) comes('hello', hello(version))
  await quiet()
  expect(location.reload).toHaveBeenCalledTimes(1)
  expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'other_version' })
  expect(socket.close).toHaveBeenCalled()
  vi.advanceTimersByTime(10 * PERIODS.reconnectMs)
  await quiet()
  expect(calls).toEqual([])
})

test('A page of another version than its server does not load itself anew where that version is not trusted: it stops and says so', async () => {
  await opened()
  const active = {
    postMessage: (_: unknown, [port]: MessagePort[]) => port?.postMessage({ outcome: 'unsigned', version: '9.0.0' }),
  }
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: { getRegistration: async () => ({ active }) } })
  comes('hello', hello(CONTRACT_VERSION + 1))
  await expect.poll(() => connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'refused_version' })
  await quiet()
  expect(location.reload).not.toHaveBeenCalled()
  expect(socket.close).toHaveBeenCalled()
})

test('A message that comes is counted in its row and on screen at once', async () => {
  const world = await opened()
  const room = roomById(world.roomId)
  if (!room) throw new Error('There is no room')
  const unread = room.unreadCount
  await showRoom(page, room)
  comes('message', await bobPosts(world, 'news'))
  await expect.poll(() => messagesStore.getState().open?.messages.at(-1)?.body).toEqual({ kind: 'text', text: 'news' })
  expect(roomById(world.roomId)).toMatchObject({ unreadCount: unread + 1, preview: { text: 'news' } })
  expect(asked(roomsApi.list)).toBe(0)
  await expect.poll(() => asked(messagesApi.markDelivered)).toBe(1)
})

test('A page that is hidden tells at once how far it has received: it may be closed in the next moment', async () => {
  const { roomId } = await opened()
  const room = roomById(roomId)
  if (!room) throw new Error('There is no room')
  const { lastSeq } = room
  markDelivered(page, room, lastSeq + 1)
  await expect.poll(() => asked(messagesApi.markDelivered)).toBe(1)
  markDelivered(page, room, lastSeq + 2)
  document.visibilityState = 'hidden'
  document.dispatchEvent(new Event('visibilitychange'))
  await new Promise(setImmediate)
  expect(asked(messagesApi.markDelivered)).toBe(2)
})

test('A commit that comes is followed, without a look at the list', async () => {
  const { alice, bob, wire, roomId } = await opened()
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  const entry = wire.rooms.get(roomId)?.log.at(-1)
  if (entry?.kind !== 'commit') throw new Error('There is no commit')
  comes('commit', entry)
  await expect.poll(async () => (await alice.core.roomRecord(roomId))?.cursor).toBe(entry.seq)
  expect([asked(roomsApi.list), asked(roomsApi.log)]).toEqual([0, 0])
})

test('Receipts, typing and presence show where they belong, and ask the server for nothing', async () => {
  const { bob, roomId } = await opened()
  const seq = roomById(roomId)?.lastSeq ?? 0
  comes('receipt', { chatRoomId: roomId, userId: bob.userId, deliveredSeq: seq, readSeq: seq })
  comes('typing', { chatRoomId: roomId, userId: bob.userId, isTyping: true })
  comes('presence', { userId: bob.userId, isOnline: true, lastSeen: null })
  await expect.poll(() => roomById(roomId)?.marks[bob.userId]).toEqual({ deliveredSeq: seq, readSeq: seq })
  expect(roomById(roomId)?.isTyping).toBe(true)
  expect(personById(bob.userId)?.isOnline).toBe(true)
  const lastSeen = '2026-11-22T09:00:00.000Z'
  comes('presence', { userId: bob.userId, isOnline: false, lastSeen })
  await expect.poll(() => personById(bob.userId)).toMatchObject({ isOnline: false, lastSeen })
  // He shows it no more.
  comes('presence', { userId: bob.userId, isOnline: false, lastSeen: null })
  await expect.poll(() => personById(bob.userId)).toMatchObject({ isOnline: false, lastSeen: null })
  // Of a read mark that is not shown nothing goes back.
  comes('receipt', { chatRoomId: roomId, userId: bob.userId, deliveredSeq: seq, readSeq: 0 })
  await Promise.resolve()
  expect(roomById(roomId)?.marks[bob.userId]).toEqual({ deliveredSeq: seq, readSeq: seq })
  comes('pong', { serverTime: new Date().toISOString() })
  comes('refused', { code: 'too_many', error: 'Too many', id: null })
  await Promise.resolve()
  expect(calls).toEqual([])
})

test('News of people, of the account, of its keys and of its book makes the page ask for just that', async () => {
  const { alice, bob, wire } = await opened()
  const news = async (endpoint: Endpoint, say: () => void) => {
    say()
    await expect.poll(() => asked(endpoint)).toBe(1)
    await quiet()
  }
  // What the account shows decides what it sees: the rows change as well.
  await news(roomsApi.list, () => comes('account', { what: 'privacy' }))
  await news(roomsApi.list, () => comes('contacts', { userIds: [bob.userId] }))
  wire.lie = (_, path, answer) =>
    path === accountApi.user.path ? { ...(answer as object), displayName: 'Alice the Second' } : answer
  await news(accountApi.user, () => comes('account', { what: 'name' }))
  expect(accountStore.getState()).toMatchObject({ user: { displayName: 'Alice the Second' } })
  await news(devicesApi.keys, () => comes('devices', {}))
  const version = await alice.core.bookVersion()
  await news(devicesApi.book, () => comes('book', { version: version + 1 }))
  // One that it has is no news.
  comes('book', { version })
  await Promise.resolve()
  expect(asked(devicesApi.book)).toBe(0)
})

test('A session that ends leaves nothing on the page, closes the connection, and what comes later is not heard', async () => {
  const { bob, roomId } = await opened()
  const room = roomById(roomId)
  if (room) await showRoom(page, room)
  comes('signed_out', {})
  await expect.poll(() => accountStore.getState().phase).toBe('signed_out')
  expect(accountStore.getState().notice).toBe('You were signed out.')
  expect(socket.close).toHaveBeenCalled()
  expect([roomsStore.getState().rooms.size, peopleStore.getState().people.size]).toEqual([0, 0])
  expect(messagesStore.getState().open).toBe(null)
  await quiet()
  connects('waiting', 'unreachable')
  comes('contacts', { userIds: [bob.userId] })
  document.dispatchEvent(new Event('visibilitychange'))
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  await Promise.resolve()
  expect(calls).toEqual([])
  expect([...listeners.values()].every((heard) => heard.size === 0)).toBe(true)
})

/** Each pause at its longest. Returns how often the list is asked for within three seconds, as often as wanted. */
function asks(): (times: number) => Promise<number[]> {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
  return async (times) => {
    const counts: number[] = []
    for (let at = 0; at < times; at++) {
      vi.advanceTimersByTime(PERIODS.reconnectMs)
      counts.push((await quiet()).filter((call) => call === LIST).length)
    }
    return counts
  }
}

test('Without a connection a page that is seen asks one question every three seconds; with one it asks nothing', async () => {
  const world = await opened()
  const within = asks()
  expect(await within(3)).toEqual([0, 0, 0])
  for (const pause of ['unreachable', 'too_many'] as const) {
    connects('waiting', pause)
    expect(await within(3)).toEqual([1, 1, 1])
  }
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(await quiet()).toEqual([LIST])
  // It tells of chats, and of how much is unread.
  const { unreadTotal } = roomsStore.getState()
  await bobPosts(world, 'news')
  expect(await within(1)).toEqual([1])
  expect(roomsStore.getState().unreadTotal).toBe(unreadTotal + 1)
  expect(roomById(world.roomId)?.preview?.text).toBe('news')
})

test('Where the server answers, the page tries to connect: at its first answer, then at each sixteenth, or each where nobody looks', async () => {
  await opened()
  const within = asks()
  connects('waiting', 'unreachable')
  await within(16)
  expect(socket.retry).toHaveBeenCalledTimes(1)
  await within(1)
  expect(socket.retry).toHaveBeenCalledTimes(2)
  failure = new ApiError(0, 'offline', 'You are offline')
  await within(1)
  expect(socket.retry).toHaveBeenCalledTimes(2)
  failure = undefined
  await within(2)
  expect(socket.retry).toHaveBeenCalledTimes(3)
  document.visibilityState = 'hidden'
  // The second comes after six seconds.
  await within(3)
  expect(socket.retry).toHaveBeenCalledTimes(5)
})

test('A page that nobody sees, or nobody answers, asks ever more rarely, and at once when somebody comes back', async () => {
  await opened()
  const within = asks()
  connects('waiting', 'unreachable')
  document.visibilityState = 'hidden'
  expect(await within(7)).toEqual([1, 0, 1, 0, 0, 0, 1])
  comesBack()
  expect(await quiet()).toEqual(expect.arrayContaining([LIST, `${accountApi.user.method} ${accountApi.user.path}`]))
  failure = new ApiError(503, 'unavailable', 'The server starts')
  expect(await within(7)).toEqual([1, 0, 1, 0, 0, 0, 1])
  failure = undefined
  comesBack()
  await quiet()
  expect(await within(2)).toEqual([1, 1])
})

test('A hidden page of which a push service tells asks nothing until it is seen', async () => {
  await opened()
  const within = asks()
  localStorage.setItem(
    'notifications',
    JSON.stringify({ isDesktop: true, hasContent: true, hasSound: true, isPushed: true, offer: 'answered' }),
  )
  document.visibilityState = 'hidden'
  connects('waiting', 'unreachable')
  vi.advanceTimersByTime(100 * PERIODS.reconnectMs)
  expect(await quiet()).toEqual([])
  comesBack()
  expect(await quiet()).toContain(LIST)
  expect(await within(2)).toEqual([1, 1])
})

test('A page that the server has asked to come back later asks nothing meanwhile; where it refuses a socket, the page asks once', async () => {
  await opened()
  const within = asks()
  const isRefused = () => {
    comes('come_back', { seconds: 40 })
    connects('waiting', 'asked')
  }
  // The server stops: until now the socket has told of everything.
  isRefused()
  expect(await within(20)).toEqual(Array(20).fill(0))
  comesBack()
  expect(await quiet()).toEqual([])
  connects('connecting', null)
  isRefused()
  expect(await quiet()).toEqual([LIST])
  expect(await within(20)).toEqual(Array(20).fill(0))
})

const comesBack = () => {
  document.visibilityState = 'visible'
  document.dispatchEvent(new Event('visibilitychange'))
}

test('A page that somebody comes back to asks nothing where the connection has told it everything', async () => {
  const world = await opened()
  comes('message', await bobPosts(world, 'news'))
  await quiet()
  comesBack()
  await quiet()
  expect(calls).toEqual([])
})

test('A page that somebody comes back to after a sleep asks who is signed in, and what has changed', async () => {
  const world = await opened()
  document.visibilityState = 'hidden'
  document.dispatchEvent(new Event('visibilitychange'))
  await Promise.resolve()
  expect(calls).toEqual([])
  await bobPosts(world, 'while it slept')
  socket.isAlive.mockReturnValue(false)
  comesBack()
  await expect.poll(() => [asked(accountApi.user), asked(roomsApi.list)]).toEqual([1, 1])
  await expect.poll(() => roomById(world.roomId)?.preview?.text).toBe('while it slept')
})

test('News of a person cost one row, and a connection costs the rows that have changed and once those that news told of', async () => {
  const world = await opened()
  const rows: number[] = []
  world.wire.lie = (caller, path, answer) => {
    if (caller === world.alice.userId && path === roomsApi.list.path) rows.push((answer as RoomPage).rooms.length)
    return answer
  }
  comes('contacts', { userIds: [world.bob.userId, world.alice.userId] })
  await quiet()
  await bobPosts(world, 'while you were away')
  comes('hello', hello())
  await quiet()
  comes('hello', hello())
  await quiet()
  expect(rows).toEqual([1, 1, 1, 0])
})

test.each([
  ['the network is away', new ApiError(0, 'offline', 'You are offline'), false],
  ['the session has ended', new ApiError(401, 'not_signed_in', 'Sign in'), false],
  ['the account was closed', new CryptoFailure('closed', 'The account is closed'), false],
  ['the server refuses', new ApiError(500, 'internal', 'Broken'), true],
  ['a key does not hold', new CryptoFailure('manifest', 'It is damaged'), true],
] as const)('Where %s a failure is reported only if somebody can do something about it', async (_, thrown, isReported) => {
  await opened()
  failure = thrown
  comes('account', { what: 'plan' })
  await expect.poll(() => asked(accountApi.user)).toBe(1)
  await quiet()
  expect(report.mock.calls).toEqual(isReported ? [[thrown]] : [])
})

test('A page is as steady as its browser has chosen, and follows what another tab has chosen when it is seen again', async () => {
  const { alice } = await opened()
  await expect.poll(() => socket.steady.mock.lastCall).toEqual([false])
  await (await alice.newTab()).core.setSteady(true)
  document.dispatchEvent(new Event('visibilitychange'))
  await expect.poll(() => socket.steady.mock.lastCall).toEqual([true])
})

test('The key that locks this browser is there as soon as the session, and ends with it', async () => {
  await opened()
  const press = () =>
    keyboard.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key: 'l', ctrlKey: true, altKey: true }))
  expect(press()).toBe(false)
  await expect.poll(() => pushState.mock.lastCall).toEqual([null, '', '/settings?tab=security#lock'])
  accountStore.setState({ phase: 'signed_out', user: null })
  expect(press()).toBe(true)
})

// The last one: what such a server is asked never ends.
test('A server that from now on answers by Tor alone ends the session at once: what is typed is kept, and nothing is asked again', async () => {
  const { alice, roomId } = await opened()
  localStorage.setItem('user', 'kept')
  // A sync keeps what is typed too. The rest comes after it.
  let typed = 'not yet'
  const offKeep = onKeepDrafts(() => keepDraft(page, roomId, typed))
  socket.close.mockImplementationOnce(() => {
    typed = 'not yet sent'
  })
  isShut = true
  connects('connecting', null)
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(await quiet()).not.toEqual([])
  await expect.poll(() => accountStore.getState().phase).toBe('door')
  offKeep()
  expect(accountStore.getState()).toMatchObject({ phase: 'door', user: null })
  expect(socket.close).toHaveBeenCalled()
  await quiet()
  vi.advanceTimersByTime(10 * PERIODS.reconnectMs)
  expect(await quiet()).toEqual([])
  expect([report.mock.calls, localStorage.getItem('user')]).toEqual([[], 'kept'])
  const { userId, username, unlock } = alice
  await alice.core.open({ userId, username, unlock })
  expect(await readDraft(alice.env, roomId)).toBe('not yet sent')
})
