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
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { wordsOf } from '../../words.ts'
import { isSure } from '../http/access.ts'
import { refusalOf } from '../http/errors.ts'
import { checkJsonText } from '../http/input.ts'
import { type Seat, sendFrame } from './hub.ts'

/** Every frame of the contract except `ping`, which this file answers. */
type HandledType = Exclude<ClientFrameType, 'ping'>
type HandledFrame<T extends HandledType> = { [K in T]: { type: K; data: ClientData[K] } }[T]

/** One verb for each frame of the contract. A returned frame is sent to the asking socket alone. */
export type FrameHandlers = {
  [T in HandledType]: (user: SignedInUser, data: ClientData[T]) => Promise<ServerFrame | undefined>
}

/** A socket that sends this many times `LIMITS.framesPerSecond` in a second is closed. */
const FLOOD_FACTOR = 5
/** Maximum number of a socket's frames that wait for the database. */
const WAITING_MAX = 64

/** Answers a socket's frames one after another. A bad frame is refused with a code and does not close the socket; a flood does. */
export function listen(env: Env, seat: Seat, handlers: FrameHandlers, report: (error: unknown) => void): void {
  const { socket } = seat
  const pace = makePace()
  let last = Promise.resolve()
  let waiting = 0

  const guard = (): boolean => {
    const count = pace()
    if (count > LIMITS.framesPerSecond * FLOOD_FACTOR) socket.close(CLOSE.tooManyFrames, 'Too many frames')
    else if (count > LIMITS.framesPerSecond) sendFrame(socket, refused(new Refusal('too_many_requests'), null))
    return count <= LIMITS.framesPerSecond
  }

  socket.on('message', (raw, isBinary) => {
    if (socket.readyState !== socket.OPEN || !guard()) return
    if (waiting >= WAITING_MAX) return sendFrame(socket, refused(new Refusal('unavailable'), null))
    waiting += 1
    last = last
      .then(() => answer(raw, isBinary))
      .then((reply) => reply && sendFrame(socket, reply))
      .finally(() => {
        waiting -= 1
      })
  })

  async function answer(raw: RawData, isBinary: boolean): Promise<ServerFrame | undefined> {
    let id: string | null = null
    try {
      if (isBinary) throw new Refusal('malformed_frame')
      const json = readJson(raw.toString())
      id = named.safeParse(json).data?.data.id ?? null
      const frame = parseFrame(json)
      if (frame.type === 'ping') return { type: 'pong', data: { serverTime: env.clock().toISOString() } }
      // The session is read again, because plan or account may have changed since the socket opened.
      const user = await env.findSession(seat.sessionHash)
      if (!user) {
        env.hub.closeSession(seat.sessionHash)
        return undefined
      }
      if (!isSure(user)) throw new Refusal('device_required')
      return await handle(handlers, user, frame)
    } catch (error) {
      report(error)
      return refused(refusalOf(error) ?? new Refusal('internal'), id)
    }
  }
}

const handle = <T extends HandledType>(handlers: FrameHandlers, user: SignedInUser, frame: HandledFrame<T>) =>
  handlers[frame.type](user, frame.data)

/** Reads the message id for a refusal, even if the rest of the frame is invalid. */
const named = z.object({ data: z.object({ id: z.uuid() }) })

function parseFrame(json: unknown): ClientFrame {
  // Errors name a frame's fields without the "data" prefix, as those of the HTTP call.
  const parsed = clientFrame.safeParse(json, { error: (issue) => wordsOf({ ...issue, path: issue.path?.slice(1) }) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Refusal('malformed_frame', issue && issue.path[0] === 'data' && issue.path.length > 1 ? { text: issue.message } : {})
}

function readJson(text: string): unknown {
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

/** Counts calls within the current second. */
function makePace(): () => number {
  let second = 0
  let count = 0
  return () => {
    const now = Math.floor(performance.now() / 1000)
    count = now === second ? count + 1 : 1
    second = now
    return count
  }
}
