import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CLOSE, type ServerFrame } from '../../contract/frames.ts'
import { PERIODS } from '../../contract/limits.ts'
import { createSocket } from './socket.ts'
import { connectionStore } from './status.ts'

/** A socket that does what the test says. */
class FakeWire {
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
const open = () => {
  const socket = createSocket({ url: () => 'ws://test/ws', WebSocket: FakeWire as never })
  socket.open()
  return socket
}

beforeEach(() => {
  FakeWire.made = []
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
})
afterEach(() => vi.useRealTimers())

test('It is connected when the server has said hello, not before, and knows the difference of the clocks', () => {
  const socket = open()
  wire().accept()
  expect(connectionStore.getState().phase).toBe('connecting')
  expect(socket.say({ type: 'typing', data: { chatRoomId: 'dm_x', isTyping: true } })).toBe(false)
  wire().says(hello)
  expect(connectionStore.getState()).toMatchObject({ phase: 'open', ingress: 'direct', clockOffsetMs: 5000 })
  expect(socket.say({ type: 'typing', data: { chatRoomId: 'dm_x', isTyping: true } })).toBe(true)
  socket.close()
})

test('Five attempts, three seconds apart, are a burst; then it rests until somebody asks', () => {
  const socket = open()
  for (let attempt = 1; attempt < PERIODS.reconnectAttempts; attempt++) {
    wire().close()
    expect(connectionStore.getState().phase).toBe('connecting')
    vi.advanceTimersByTime(PERIODS.reconnectMs - 1)
    expect(FakeWire.made).toHaveLength(attempt)
    vi.advanceTimersByTime(1)
    expect(FakeWire.made).toHaveLength(attempt + 1)
  }
  wire().close()
  expect(connectionStore.getState().phase).toBe('waiting')
  vi.advanceTimersByTime(10 * PERIODS.reconnectMs)
  expect(FakeWire.made).toHaveLength(PERIODS.reconnectAttempts)
  socket.reconnect()
  expect(FakeWire.made).toHaveLength(PERIODS.reconnectAttempts + 1)
  expect(connectionStore.getState().phase).toBe('connecting')
  socket.close()
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

test('Frames that are broken or unknown are passed over; the next one is heard', () => {
  const socket = open()
  const heard: unknown[] = []
  socket.on('typing', (data) => heard.push(data))
  wire().accept()
  wire().says(hello)
  wire().says('{not json')
  wire().says('{"type":"from the future","data":{}}')
  wire().says('{"type":"typing","data":{"chatRoomId":7}}')
  expect(heard).toEqual([])
  const a = '11111111-1111-4111-8111-111111111111'
  const b = '22222222-2222-4222-8222-222222222222'
  wire().says({ type: 'typing', data: { chatRoomId: `dm_${a}_${b}`, userId: b, isTyping: true } })
  expect(heard).toHaveLength(1)
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
