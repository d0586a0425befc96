import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { CLOSE, type ServerData, type ServerFrame } from '../../../contract/frames.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Listener } from '../../settings/config.ts'

export interface Seat {
  userId: string
  sessionHash: string
  /** That has signed for the session. */
  deviceId: string | null
  socket: WebSocket
  ingress: Listener['ingress']
  comesByOnion: boolean
  /** True: it hears of rings alone. */
  isWaiting: boolean
  /** Carries bytes that many sockets share. */
  wire: Duplex
}

export type SignedOut = ServerData['signed_out']

export interface Hub {
  /** Sends a frame, which may be lost. `only` limits users to sessions (hex). */
  publish(userIds: readonly string[], frame: ServerFrame, only?: Only): void
  /** `json` is the frame's data. */
  publishMessage(userIds: readonly string[], json: string, only?: Only): void
  publishToWaiting(userId: string, frame: ServerFrame): void
  publishToDevice(userId: string, deviceId: string, frame: ServerFrame): void
  isHere(userId: string): boolean
  /** Undefined above `atMost`. */
  people(atMost?: number): string[] | undefined
  isDeviceHere(userId: string, deviceId: string): boolean
  /** Sends `signed_out` and closes with 4401. */
  closeSession(sessionHash: string, why?: SignedOut): void
  /** Closes with 4403: a device must sign first. */
  closeUnproven(sessionHash: string): void
  closeUser(userId: string): void
  /** True for the user's first socket. Closes the oldest surplus one with 4430. */
  join(seat: Seat): boolean
  /** True for the user's last socket. */
  leave(seat: Seat): boolean
  seats(userId?: string): Seat[]
  waiting(userId?: string): Seat[]
  size(): number
}

type Only = Readonly<Record<string, readonly string[]>> | null

/** Registers this node's open sockets. */
export function createHub(): Hub {
  let count = 0
  const seats = new Map<string, Set<Seat>>()
  const waiting = new Map<string, Set<Seat>>()
  const listOf = (map: typeof seats, userId?: string) =>
    userId === undefined ? [...map.values()].flatMap((mine) => [...mine]) : [...(map.get(userId) ?? [])]
  const every = (userId?: string) => [...listOf(seats, userId), ...listOf(waiting, userId)]
  const ofDevice = (userId: string, id: string) => listOf(seats, userId).filter(({ deviceId }) => deviceId === id)
  function toEach(userIds: readonly string[], only: Only | undefined, text: () => string): void {
    let bytes: Buffer | undefined
    for (const userId of new Set(userIds)) {
      for (const seat of seats.get(userId) ?? []) {
        if (only?.[userId]?.includes(seat.sessionHash) === false || !isReady(seat.socket)) continue
        bytes ??= textFrame(text())
        seat.wire.write(bytes)
      }
    }
  }
  return {
    publish: (userIds, frame, only) => toEach(userIds, only, () => JSON.stringify(frame)),
    publishMessage: (userIds, json, only) => toEach(userIds, only, () => `{"type":"message","data":${json}}`),
    publishToWaiting(userId, frame) {
      for (const { socket } of listOf(waiting, userId)) sendFrame(socket, frame)
    },
    publishToDevice(userId, deviceId, frame) {
      for (const { socket } of ofDevice(userId, deviceId)) sendFrame(socket, frame)
    },
    isHere: (userId) => seats.has(userId),
    people: (atMost = seats.size) => (seats.size > atMost ? undefined : [...seats.keys()]),
    isDeviceHere: (userId, deviceId) => ofDevice(userId, deviceId).some(({ socket }) => socket.readyState === socket.OPEN),
    closeSession(sessionHash, why) {
      for (const seat of every()) if (seat.sessionHash === sessionHash) signOut(seat, why)
    },
    closeUnproven(sessionHash) {
      for (const { sessionHash: hash, socket } of listOf(seats))
        if (hash === sessionHash) socket.close(CLOSE.deviceRequired, 'A device must sign first')
    },
    closeUser(userId) {
      for (const seat of every(userId)) signOut(seat)
    },
    join(seat) {
      const map = seat.isWaiting ? waiting : seats
      const mine = map.get(seat.userId) ?? new Set()
      const isFirst = mine.size === 0 && !seat.isWaiting
      map.set(seat.userId, mine.add(seat))
      count += 1
      const [oldest] = mine
      if (oldest && mine.size > LIMITS.socketsPerUser) {
        mine.delete(oldest)
        count -= 1
        oldest.socket.close(CLOSE.tooManySockets, 'Too many connections')
      }
      return isFirst
    },
    leave(seat) {
      const map = seat.isWaiting ? waiting : seats
      const mine = map.get(seat.userId)
      if (!mine?.delete(seat)) return false
      count -= 1
      if (mine.size > 0) return false
      map.delete(seat.userId)
      return !seat.isWaiting
    },
    seats: (userId) => listOf(seats, userId),
    waiting: (userId) => listOf(waiting, userId),
    size: () => count,
  }
}

/** Sends a frame. Closes a socket whose reader is too slow. */
export function sendFrame(socket: WebSocket, frame: ServerFrame): void {
  sendText(socket, JSON.stringify(frame))
}

function sendText(socket: WebSocket, text: string): void {
  if (isReady(socket)) socket.send(text)
}

/** Unsent data would fill the memory. */
function isReady(socket: WebSocket): boolean {
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount <= LIMITS.socketBufferBytes) return true
  socket.close(CLOSE.tooSlow, 'Too slow')
  return false
}

/** Unmasked text frame (RFC 6455 section 5.2), the same for all sockets. */
function textFrame(text: string): Buffer {
  const sizeBytes = Buffer.byteLength(text)
  const headBytes = sizeBytes < 126 ? 2 : sizeBytes < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headBytes + sizeBytes)
  frame[0] = 0x81
  frame[1] = headBytes === 2 ? sizeBytes : headBytes === 4 ? 126 : 127
  if (headBytes === 4) frame.writeUInt16BE(sizeBytes, 2)
  if (headBytes === 10) frame.writeBigUInt64BE(BigInt(sizeBytes), 2)
  frame.write(text, headBytes)
  return frame
}

function signOut({ socket }: Seat, why: SignedOut = {}): void {
  sendFrame(socket, { type: 'signed_out', data: why })
  socket.close(CLOSE.signedOut, 'Signed out')
}
