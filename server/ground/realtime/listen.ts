import type { RawData } from 'ws'
import { z } from 'zod'
import {
  CLOSE,
  type ClientData,
  type ClientFrame,
  type ClientFrameType,
  clientFrame,
  type ServerFrame,
} from '../../../contract/frames.ts'
import { STEADY } from '../../../contract/ground/steady.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { wordsOf } from '../../words.ts'
import { isSure } from '../http/access.ts'
import { refusalOf } from '../http/errors.ts'
import { checkJsonText } from '../http/input.ts'
import { countFrames } from './framerates.ts'
import { type Seat, sendFrame } from './hub.ts'

type HandledType = Exclude<ClientFrameType, 'ping'>
type HandledFrame<T extends HandledType> = { [K in T]: { type: K; data: ClientData[K] } }[T]

/** `asking` is the socket. A returned frame goes to the asking socket alone. */
export type FrameHandlers = {
  [T in HandledType]: (user: SignedInUser, data: ClientData[T], asking: Seat) => Promise<ServerFrame | undefined>
}

/** Frames of one socket that may wait for the database. */
const WAITING_MAX = 64

/** Answers a socket's frames in order. Refuses a bad or too frequent frame; closes on a flood. */
export function listen(env: Env, seat: Seat, handlers: FrameHandlers, report: (error: unknown) => void): void {
  const { socket } = seat
  const counts = countFrames(() => env.clock().getTime())
  let last = Promise.resolve()
  let waiting = 0

  socket.on('message', (raw, isBinary) => {
    if (socket.readyState !== socket.OPEN) return
    if (counts.isFlood(sizeOf(raw))) return socket.close(CLOSE.tooManyFrames, 'Too many frames')
    const sent = read(raw, isBinary)
    // Refused early, so that no type fills the queue.
    if (!counts.isAllowed(sent.type)) return sendFrame(socket, refused(new Refusal('too_many_requests'), sent.id))
    if (waiting >= WAITING_MAX) return sendFrame(socket, refused(new Refusal('unavailable'), sent.id))
    waiting += 1
    last = last
      .then(() => answer(sent))
      .then((reply) => reply && sendFrame(socket, reply))
      .finally(() => {
        waiting -= 1
      })
  })

  async function answer({ readJson, id }: Sent): Promise<ServerFrame | undefined> {
    try {
      const frame = parseFrame(readJson())
      if (frame.type === 'ping') return pongOf(env.clock().toISOString(), frame.data)
      // Plan or account may have changed since the socket opened.
      const user = await env.findSession(seat.sessionHash)
      if (!user) {
        env.hub.closeSession(seat.sessionHash)
        return undefined
      }
      if (!isSure(user)) throw new Refusal('device_required')
      return await handle(handlers, user, frame, seat)
    } catch (error) {
      report(error)
      return refused(refusalOf(error) ?? new Refusal('internal'), id)
    }
  }
}

/** Never longer than a padded ping. */
function pongOf(serverTime: string, { pad }: ClientData['ping']): ServerFrame {
  if (pad === undefined) return { type: 'pong', data: { serverTime } }
  const bare = JSON.stringify({ type: 'pong', data: { serverTime, pad: '' } })
  return { type: 'pong', data: { serverTime, pad: '0'.repeat(STEADY.frameBytes - bare.length) } }
}

/** Type and the id of message or call are there even if the rest is invalid. */
interface Sent {
  type?: unknown
  id: string | null
  /** Throws if the frame is no JSON. */
  readJson: () => unknown
}

function read(raw: RawData, isBinary: boolean): Sent {
  try {
    if (isBinary) throw new Refusal('malformed_frame')
    const json = jsonOf(raw.toString())
    return { type: typed.safeParse(json).data?.type, id: idOf(json), readJson: () => json }
  } catch (error) {
    return {
      id: null,
      readJson: () => {
        throw error
      },
    }
  }
}

const sizeOf = (raw: RawData): number => [raw].flat().reduce((sum, { byteLength }) => sum + byteLength, 0)

const handle = <T extends HandledType>(handlers: FrameHandlers, user: SignedInUser, frame: HandledFrame<T>, asking: Seat) =>
  handlers[frame.type](user, frame.data, asking)

const typed = z.object({ type: z.string() })
const named = z.object({
  data: z.object({
    id: z.uuid().optional().catch(undefined),
    callId: z.uuid().optional().catch(undefined),
    transferId: z.uuid().optional().catch(undefined),
  }),
})

function idOf(json: unknown): string | null {
  const { id, callId, transferId } = named.safeParse(json).data?.data ?? {}
  return id ?? callId ?? transferId ?? null
}

function parseFrame(json: unknown): ClientFrame {
  // Field names lack the "data" prefix, as in HTTP calls.
  const parsed = clientFrame.safeParse(json, { error: (issue) => wordsOf({ ...issue, path: issue.path?.slice(1) }) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Refusal('malformed_frame', issue && issue.path[0] === 'data' && issue.path.length > 1 ? { text: issue.message } : {})
}

function jsonOf(text: string): unknown {
  checkJsonText(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('malformed_frame')
  }
}

const refused = ({ code, message }: Refusal, id: string | null): ServerFrame => ({
  type: 'refused',
  data: { code, error: message, id },
})
