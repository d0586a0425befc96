import type { WebSocket } from 'ws'
import { CLOSE, type ServerFrame } from '../../contract/frames.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Signed } from '../../contract/shapes.ts'

/** One open socket and its session. */
export interface Seat {
  userId: string
  sessionHash: string
  socket: WebSocket
}

export interface Hub {
  /** Sends a frame to every socket of these users. A frame may be lost: what must survive is already in the database. */
  publish(userIds: readonly string[], frame: ServerFrame): void
  /** True if the user has an open socket. */
  isHere(userId: string): boolean
  /** Sends the session's sockets `signed_out`, with the manifest that removed their device, if any, and closes them with 4401. */
  closeSession(sessionHash: string, manifest?: Signed): void
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

/** Makes the register of this node's open sockets. */
export function createHub(): Hub {
  const seats = new Map<string, Set<Seat>>()
  const every = () => [...seats.values()].flatMap((mine) => [...mine])
  return {
    publish(userIds, frame) {
      const here = [...new Set(userIds)].flatMap((userId) => [...(seats.get(userId) ?? [])])
      if (here.length === 0) return
      const text = JSON.stringify(frame)
      for (const { socket } of here) sendText(socket, text)
    },
    isHere: (userId) => seats.has(userId),
    closeSession(sessionHash, manifest) {
      for (const seat of every()) if (seat.sessionHash === sessionHash) signOut(seat, manifest)
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
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > LIMITS.socketBufferBytes) {
    socket.close(CLOSE.tooSlow, 'Too slow')
    return
  }
  socket.send(text)
}

function signOut({ socket }: Seat, manifest?: Signed): void {
  sendFrame(socket, { type: 'signed_out', data: manifest ? { manifest } : {} })
  socket.close(CLOSE.signedOut, 'Signed out')
}
