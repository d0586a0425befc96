import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CLOSE, CLOSE_LATER, type ServerFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { createSocket } from './socket.ts'
import { connectionStore } from './status.ts'

/** A WebSocket that the test controls. */
class FakeWire {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static made: FakeWire[] = []
  readonly OPEN = 1
  readyState = 0
  sent: string[] = []
  onopen: (() => void) | undefined
  onmessage: ((event: { data: string }) => void) | undefined
  onclose: ((event: { code: number }) => void) | undefined
  constructor() {
    FakeWire.made.push(this)
  }
  send(text: string) {
    this.sent.push(text)
  }
  close(code = 1006) {
    if (this.readyState === 3) return
    this.readyState = 3
    this.onclose?.({ code })
  }
  accept() {
    this.readyState = 1
    this.onopen?.()
  }
  says(frame: ServerFrame | string) {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }
}

const hello: ServerFrame = {
  type: 'hello',
  data: {
    contractVersion: 1,
    ingress: 'direct',
    serverTime: '2026-01-01T00:00:05.000Z',
    onionAddress: null,
    userId: '11111111-1111-4111-8111-111111111111',
  },
}
const wire = () => FakeWire.made.at(-1) as FakeWire
const open = (prove: () => Promise<void> = async () => undefined) => {
  const socket = createSocket({ url: () => 'ws://test/ws', prove, WebSocket: FakeWire as never })
  socket.open()
  return socket
}

beforeEach(() => {
  FakeWire.made = []
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
  // Each pause at its longest.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('It knows when the server was last heard, also once the connection is lost', () => {
  const socket = open()
  expect(socket.heardAt()).toBe(0)
  wire().accept()
  vi.advanceTimersByTime(3000)
  wire().says(hello)
  const heardAt = Date.parse('2026-01-01T00:00:03Z')
  expect(socket.heardAt()).toBe(heardAt)
  wire().close()
  expect(socket.heardAt()).toBe(heardAt)
  vi.advanceTimersByTime(9000)
  expect(socket.heardAt()).toBe(heardAt)
  socket.close()
})

test('It is connected when the server has said hello, not before, and knows the difference of the clocks', () => {
  const socket = open()
  wire().accept()
  expect(connectionStore.getState().phase).toBe('connecting')
  expect(socket.send({ type: 'typing', data: { chatRoomId: 'dm_x', isTyping: true } })).toBe(false)
  wire().says(hello)
  expect(connectionStore.getState()).toMatchObject({ phase: 'open', ingress: 'direct', clockOffsetMs: 5000 })
  expect(socket.send({ type: 'typing', data: { chatRoomId: 'dm_x', isTyping: true } })).toBe(true)
  socket.close()
})

/** Closes the socket repeatedly until the client stops reconnecting. Returns the number of reconnections. */
function reconnections(): number {
  const before = FakeWire.made.length
  for (;;) {
    const count = FakeWire.made.length
    wire().close()
    vi.advanceTimersByTime(PERIODS.reconnectMs - 1)
    expect(FakeWire.made).toHaveLength(count)
    vi.advanceTimersByTime(1)
    if (FakeWire.made.length === count) return count - before
    expect(connectionStore.getState().phase).toBe('connecting')
  }
}

test('A lost socket is made anew five times, three seconds apart; then it waits until somebody asks', () => {
  const socket = open()
  wire().accept()
  wire().says(hello)
  expect(PERIODS.reconnectAttempts).toBe(5)
  expect(reconnections()).toBe(5)
  expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'unreachable' })
  vi.advanceTimersByTime(10 * PERIODS.reconnectMs)
  expect(FakeWire.made).toHaveLength(6)
  // The first of the next five attempts starts at once.
  socket.reconnect()
  expect(FakeWire.made).toHaveLength(7)
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', pause: null })
  expect(reconnections()).toBe(4)
  socket.close()
})

test('When the server answers again, a socket that found none is made anew, once for each answer', () => {
  const socket = open()
  reconnections()
  for (let answers = 0; answers < 3; answers++) {
    const count = FakeWire.made.length
    socket.retry()
    expect(FakeWire.made).toHaveLength(count + 1)
    wire().close()
    expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'unreachable' })
    vi.advanceTimersByTime(100 * PERIODS.reconnectMs)
    expect(FakeWire.made).toHaveLength(count + 1)
  }
  socket.close()
})

test('Pages that one server has lost do not come back in the same moment: each pause is shorter by chance, by up to a half', () => {
  const socket = open()
  for (const chance of [0.999, 0.5, 0]) {
    vi.mocked(Math.random).mockReturnValue(chance)
    const made = FakeWire.made.length
    wire().close()
    vi.advanceTimersByTime(PERIODS.reconnectMs * (1 - chance / 2) - 2)
    expect(FakeWire.made).toHaveLength(made)
    vi.advanceTimersByTime(2)
    expect(FakeWire.made).toHaveLength(made + 1)
  }
  socket.close()
})

/** The server asks this page to come back in so many seconds, and closes. */
function isSentAway(seconds: number, code: number = CLOSE_LATER.busy) {
  wire().accept()
  wire().says({ type: 'come_back', data: { seconds } })
  wire().close(code)
}

test('A server under load says when to come back: the page does so, whoever looks at it, and at once by Reconnect alone', () => {
  const page = new EventTarget()
  const tab = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('document', tab)
  const socket = open()
  isSentAway(40)
  expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'asked' })
  for (const look of ['focus', 'online']) page.dispatchEvent(new Event(look))
  tab.dispatchEvent(new Event('visibilitychange'))
  socket.retry()
  vi.advanceTimersByTime(39_999)
  expect(FakeWire.made).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(FakeWire.made).toHaveLength(2)
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', pause: null })
  isSentAway(40)
  // Two silent minutes, as the clock has it, end nothing.
  vi.setSystemTime(Date.now() + 120_000)
  page.dispatchEvent(new Event('focus'))
  expect(FakeWire.made).toHaveLength(2)
  socket.reconnect()
  expect(FakeWire.made).toHaveLength(3)
  // It asked for that one close.
  wire().accept()
  wire().says(hello)
  wire().close()
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(FakeWire.made).toHaveLength(4)
  // Nor does it ask the next account in this page.
  wire().accept()
  wire().says({ type: 'come_back', data: { seconds: 40 } })
  socket.close()
  socket.open()
  wire().close()
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', pause: null })
  socket.close()
})

test('A server that names an hour, no time at all or the past is asked again after a minute, and no sooner than any other', () => {
  const socket = open()
  const pauses = [3600, Number.MAX_VALUE, 0, -5, -Number.MAX_VALUE].map((seconds) => {
    isSentAway(seconds)
    const made = FakeWire.made.length
    let passed = 0
    for (; FakeWire.made.length === made; passed++) vi.advanceTimersByTime(1000)
    return passed
  })
  expect(pauses).toEqual([60, 60, 3, 3, 3])
  socket.close()
})

test.each([
  ['closed in good order', CLOSE.normal, 'closed'],
  ['closed because too many pages are connected', CLOSE.tooManySockets, 'too_many'],
])('A socket that was %s is not made anew by itself, only when somebody is back or asks', (_how, code, pause) => {
  const page = new EventTarget()
  const tab = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('document', tab)
  const socket = open()
  let made = 1
  const isLooked = (look: () => void) => {
    wire().accept()
    wire().says(hello)
    wire().close(code)
    vi.advanceTimersByTime(100 * PERIODS.reconnectMs)
    // The server's answers to this page's calls must not make it reconnect, which would close another page's socket.
    socket.retry()
    tab.dispatchEvent(new Event('visibilitychange'))
    expect(FakeWire.made).toHaveLength(made)
    expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause })
    look()
    made += 1
    expect(FakeWire.made).toHaveLength(made)
    expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', pause: null })
  }
  isLooked(() => socket.reconnect())
  isLooked(() => page.dispatchEvent(new Event('focus')))
  isLooked(() => page.dispatchEvent(new Event('online')))
  isLooked(() => {
    tab.visibilityState = 'visible'
    tab.dispatchEvent(new Event('visibilitychange'))
    tab.visibilityState = 'hidden'
  })
  socket.close()
  page.dispatchEvent(new Event('focus'))
  expect(FakeWire.made).toHaveLength(made)
  vi.unstubAllGlobals()
})

test('A socket that stays silent is taken for dead and made anew', () => {
  const socket = open()
  wire().accept()
  wire().says(hello)
  const first = wire()
  vi.advanceTimersByTime(PERIODS.heartbeatMs)
  expect(first.sent).toEqual(['{"type":"ping","data":{}}'])
  vi.advanceTimersByTime(3 * PERIODS.heartbeatMs)
  expect(first.readyState).toBe(3)
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(FakeWire.made.length).toBeGreaterThan(1)
  socket.close()
})

test.each([
  ['the browser says that it is offline', () => dispatchEvent(new Event('offline'))],
  ['nothing has come for too long', () => vi.advanceTimersByTime(76_000)],
])('A line without a network is given up at once when %s, however long its close waits for an answer', (_, happens) => {
  const page = new EventTarget()
  for (const verb of ['addEventListener', 'dispatchEvent'] as const) vi.stubGlobal(verb, page[verb].bind(page))
  const socket = open()
  wire().accept()
  wire().says(hello)
  const dead = wire()
  dead.close = () => undefined
  happens()
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', ingress: null })
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(FakeWire.made).toHaveLength(2)
  // What the dead one says at last changes nothing.
  wire().accept()
  wire().says(hello)
  dead.onclose?.({ code: 1006 })
  expect(connectionStore.getState().phase).toBe('open')
  socket.close()
})

test('A hidden page, whose timers run once a minute, keeps its healthy socket; after a sleep it makes another one', () => {
  const socket = open()
  wire().accept()
  wire().says(hello)
  const first = wire()
  for (let minute = 1; minute <= 5; minute++) {
    vi.setSystemTime(Date.now() + 60_000 - PERIODS.heartbeatMs)
    vi.advanceTimersByTime(PERIODS.heartbeatMs)
    expect(first.sent).toHaveLength(minute)
    first.says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
  }
  vi.setSystemTime(Date.now() + 60_000)
  socket.reconnect()
  expect([first.readyState, socket.isAlive(), FakeWire.made.length]).toEqual([1, true, 1])
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(socket.isAlive()).toBe(false)
  socket.reconnect()
  expect([first.readyState, FakeWire.made.length]).toEqual([3, 2])
  socket.close()
})

test('Who looks away and back again and again keeps a healthy socket: its pings go on', () => {
  const tab = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', tab)
  const socket = open()
  wire().accept()
  wire().says(hello)
  const first = wire()
  for (let looks = 0; looks < 20; looks++) {
    vi.advanceTimersByTime(10_000)
    if (first.sent.length > 0) first.says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
    tab.visibilityState = looks % 2 === 0 ? 'hidden' : 'visible'
    tab.dispatchEvent(new Event('visibilitychange'))
  }
  expect([first.sent.length, first.readyState, FakeWire.made.length]).toEqual([8, 1, 1])
  socket.close()
})

test('Frames that are broken or unknown are passed over; the next one is heard', () => {
  const socket = open()
  const received: unknown[] = []
  socket.on('typing', (data) => received.push(data))
  wire().accept()
  wire().says(hello)
  wire().says('{not json')
  wire().says('{"type":"from the future","data":{}}')
  wire().says('{"type":"typing","data":{"chatRoomId":7}}')
  expect(received).toEqual([])
  const a = '11111111-1111-4111-8111-111111111111'
  const b = '22222222-2222-4222-8222-222222222222'
  wire().says({ type: 'typing', data: { chatRoomId: `dm_${a}_${b}`, userId: b, isTyping: true } })
  expect(received).toHaveLength(1)
  socket.close()
})

test('A session that ended is not connected again', () => {
  const socket = open()
  wire().accept()
  wire().says(hello)
  wire().close(CLOSE.signedOut)
  vi.advanceTimersByTime(10 * PERIODS.reconnectMs)
  socket.reconnect()
  expect(FakeWire.made).toHaveLength(1)
})

/** The server closes the newest socket as that of a session for which no device has signed. */
async function fallsAsleep() {
  wire().accept()
  wire().says(hello)
  wire().close(CLOSE.deviceRequired)
  await vi.advanceTimersByTimeAsync(0)
}

test('A page whose session fell asleep signs once and is connected again at once', async () => {
  const prove = vi.fn(async () => undefined)
  const socket = open(prove)
  for (let nights = 1; nights <= 2; nights++) {
    await fallsAsleep()
    expect([prove.mock.calls.length, FakeWire.made.length]).toEqual([nights, nights + 1])
    wire().accept()
    wire().says(hello)
    wire().says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
    expect(connectionStore.getState().phase).toBe('open')
  }
  socket.close()
})

test.each([
  ['cannot sign', 1, async () => Promise.reject(new Error('The vault is closed'))],
  ['signs in vain', 2, async () => undefined],
])('A page that %s for its sleeping session does not knock on and on, but until somebody is back', async (_how, made, prove) => {
  const signs = vi.fn(prove)
  const socket = open(signs)
  for (let sockets = 0; sockets < made; sockets++) await fallsAsleep()
  expect(connectionStore.getState()).toMatchObject({ phase: 'waiting', pause: 'unreachable' })
  await vi.advanceTimersByTimeAsync(100 * PERIODS.reconnectMs)
  expect([FakeWire.made.length, signs.mock.calls.length]).toEqual([made, 1])
  socket.reconnect()
  await fallsAsleep()
  expect(signs).toHaveBeenCalledTimes(2)
  socket.close()
})

const onOnion = () => vi.stubGlobal('location', { hostname: `${'a'.repeat(56)}.onion` })

test('On an onion origin the attempts go on by themselves, and the pauses grow to a minute', () => {
  onOnion()
  const socket = open()
  wire().accept()
  wire().says(hello)
  const pauses: number[] = []
  for (let at = 0; at < 11; at++) {
    const made = FakeWire.made.length
    wire().close()
    expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', pause: null, ingress: null })
    let seconds = 0
    for (; FakeWire.made.length === made; seconds++) vi.advanceTimersByTime(1000)
    pauses.push(seconds)
  }
  expect(pauses).toEqual([3, 3, 3, 3, 3, 6, 12, 24, 48, 60, 60])
  // Who comes back starts the next attempt, and the short pauses, at once.
  wire().close()
  const made = FakeWire.made.length
  socket.reconnect()
  expect(FakeWire.made).toHaveLength(made + 1)
  wire().close()
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  expect(FakeWire.made).toHaveLength(made + 2)
  socket.close()
})

test('A socket that does not open through Tor is given up after twenty seconds, and after six seconds where somebody asks', () => {
  onOnion()
  const socket = open()
  const first = wire()
  vi.advanceTimersByTime(5000)
  socket.reconnect()
  expect([first.readyState, FakeWire.made.length]).toEqual([0, 1])
  vi.advanceTimersByTime(1001)
  // An answered call says nothing of a socket that is still on its way.
  socket.retry()
  expect(FakeWire.made).toHaveLength(1)
  socket.reconnect()
  expect([first.readyState, FakeWire.made.length]).toEqual([3, 2])
  vi.advanceTimersByTime(19_999)
  expect(wire().readyState).toBe(0)
  vi.advanceTimersByTime(1 + PERIODS.reconnectMs)
  expect([FakeWire.made[1]?.readyState, FakeWire.made.length]).toEqual([3, 3])
  // One that opened stays.
  wire().accept()
  wire().says(hello)
  for (let beats = 0; beats < 12; beats++) {
    vi.advanceTimersByTime(10_000)
    wire().says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
  }
  expect([wire().readyState, FakeWire.made.length]).toEqual([1, 3])
  socket.close()
})

test('A socket that takes the place of a silent one has its own time to open: what beat for the other one does not close it', () => {
  onOnion()
  const socket = open()
  wire().accept()
  wire().says(hello)
  vi.advanceTimersByTime(36_000)
  socket.reconnect()
  expect(FakeWire.made.map(({ readyState }) => readyState)).toEqual([3, 0])
  vi.advanceTimersByTime(19_999)
  expect(FakeWire.made.map(({ readyState }) => readyState)).toEqual([3, 0])
  socket.close()
})

test('Elsewhere a socket opens for as long as the browser lets it', () => {
  const socket = open()
  vi.advanceTimersByTime(200_000)
  socket.reconnect()
  expect([wire().readyState, FakeWire.made.length]).toEqual([0, 1])
  socket.close()
})

test('A killed line is no longer “via Tor” at once; a circuit that dies without a word is found within forty seconds', () => {
  onOnion()
  const socket = open()
  const opened = () => {
    wire().accept()
    wire().says({ ...hello, data: { ...hello.data, ingress: 'onion' } })
    expect(connectionStore.getState()).toMatchObject({ phase: 'open', ingress: 'onion' })
  }
  opened()
  wire().close()
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', ingress: null })
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  opened()
  // A stall of 20 s, as circuits have them, ends no socket.
  vi.advanceTimersByTime(20_000)
  wire().says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
  vi.advanceTimersByTime(30_000)
  expect(connectionStore.getState().phase).toBe('open')
  vi.advanceTimersByTime(10_000)
  expect(connectionStore.getState()).toMatchObject({ phase: 'connecting', ingress: null })
  socket.close()
})

test('With steady traffic a seen page pings every three seconds, always at one length; a hidden one has no such timer, and the same length', () => {
  const tab = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', tab)
  const looks = (visibilityState: string) => {
    tab.visibilityState = visibilityState
    tab.dispatchEvent(new Event('visibilitychange'))
  }
  const pongs = () => wire().says({ type: 'pong', data: { serverTime: hello.data.serverTime } })
  const passes = (ms: number) => {
    const before = wire().sent.length
    for (let passed = 0; passed < ms; passed += 1000) {
      vi.advanceTimersByTime(1000)
      pongs()
    }
    return wire().sent.slice(before)
  }
  const socket = open()
  socket.steady(true)
  wire().accept()
  wire().says(hello)
  const seen = passes(30_000)
  expect(seen).toHaveLength(10)
  expect(new Set(seen.map(({ length }) => length))).toEqual(new Set([256]))
  looks('hidden')
  const hidden = passes(100_000)
  expect(hidden.map(({ length }) => length)).toEqual([256, 256, 256, 256])
  looks('visible')
  expect(passes(30_000)).toHaveLength(10)
  // The next socket goes on so, and whoever switches it off is as everybody.
  wire().close()
  vi.advanceTimersByTime(PERIODS.reconnectMs)
  wire().accept()
  wire().says(hello)
  expect(passes(30_000)).toHaveLength(10)
  socket.steady(false)
  expect(passes(PERIODS.heartbeatMs)).toEqual(['{"type":"ping","data":{}}'])
  // The next account in this page begins without.
  socket.steady(true)
  socket.close()
  socket.open()
  wire().accept()
  wire().says(hello)
  expect(passes(PERIODS.heartbeatMs)).toEqual(['{"type":"ping","data":{}}'])
  socket.close()
})
