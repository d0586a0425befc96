import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { CLOSE, type ServerData, type ServerFrame } from '../../../contract/frames.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'

/** One open socket and its session. */
export interface Seat {
  userId: string
  sessionHash: string
  socket: WebSocket
  /** The connection under `socket`, for frames whose bytes are made once for many sockets. */
  wire: Duplex
}

/** Why a session is over: the manifest that removed its device, or who ended it. */
export type SignedOut = ServerData['signed_out']

export interface Hub {
  /**
   * Sends a frame to every socket of these users; of a user named in `only`, to the sockets of those sessions (hex). A frame may be lost:
   * what must survive is already in the database.
   */
  publish(userIds: readonly string[], frame: ServerFrame, only?: Only): void
  /** Does the same with a message frame whose data is JSON already. */
  publishMessage(userIds: readonly string[], json: string, only?: Only): void
  /** True if the user has an open socket. */
  isHere(userId: string): boolean
  /** Sends the session's sockets `signed_out`, with the reason, if any, and closes them with 4401. */
  closeSession(sessionHash: string, why?: SignedOut): void
  /** Sends all sockets of a user `signed_out` and closes them with 4401. */
  closeUser(userId: string): void
  /** Adds a socket. True if it is the user's first one. Above `LIMITS.socketsPerUser` closes the user's oldest one with 4430. */
  join(seat: Seat): boolean
  /** Removes a socket. True if it was the user's last one. */
  leave(seat: Seat): boolean
  /** The sockets of one user, or of all. */
  seats(userId?: string): Seat[]
  /** Number of open sockets. */
  size(): number
  /** Closes every socket with 1001 when the server stops. */
  closeAll(): void
}

type Only = Readonly<Record<string, readonly string[]>> | null

/** Makes the register of this node's open sockets. */
export function createHub(): Hub {
  const seats = new Map<string, Set<Seat>>()
  const every = () => [...seats.values()].flatMap((mine) => [...mine])
  /** Makes the text, and its bytes, if somebody is here. */
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
    isHere: (userId) => seats.has(userId),
    closeSession(sessionHash, why) {
      for (const seat of every()) if (seat.sessionHash === sessionHash) signOut(seat, why)
    },
    closeUser(userId) {
      for (const seat of seats.get(userId) ?? []) signOut(seat)
    },
    join(seat) {
      const mine = seats.get(seat.userId) ?? new Set()
      const isFirst = mine.size === 0
      seats.set(seat.userId, mine.add(seat))
      const [oldest] = mine
      if (oldest && mine.size > LIMITS.socketsPerUser) {
        mine.delete(oldest)
        oldest.socket.close(CLOSE.tooManySockets, 'Too many connections')
      }
      return isFirst
    },
    leave(seat) {
      const mine = seats.get(seat.userId)
      if (!mine?.delete(seat) || mine.size > 0) return false
      seats.delete(seat.userId)
      return true
    },
    seats: (userId) => (userId === undefined ? every() : [...(seats.get(userId) ?? [])]),
    size: () => every().length,
    closeAll() {
      for (const { socket } of every()) socket.close(CLOSE.goingAway, 'The server stops')
    },
  }
}

/** Sends a frame to one socket. Closes the socket if its reader is too slow, so that unsent data does not fill the memory. */
export function sendFrame(socket: WebSocket, frame: ServerFrame): void {
  sendText(socket, JSON.stringify(frame))
}

function sendText(socket: WebSocket, text: string): void {
  if (isReady(socket)) socket.send(text)
}

/** True if the socket takes frames. Closes one whose reader is too slow. */
function isReady(socket: WebSocket): boolean {
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount <= LIMITS.socketBufferBytes) return true
  socket.close(CLOSE.tooSlow, 'Too slow')
  return false
}

/** An unmasked text frame, RFC 6455 section 5.2. The server compresses nothing, so all sockets take the same bytes. */
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
